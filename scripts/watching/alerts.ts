/** Alert rules as data: the symptom, when to page someone, and the remedy. */
import { HEAD_TIMESTAMP } from '#chain/chain-metrics.ts'
import { BLOCKCHAIN_HEIGHT, DISK_FREE } from '#chain/main-metrics.ts'
import { EQUIVOCATIONS, OWN_BLOCKS, ROUND_CHANGES, STALLED_SECONDS } from '#consensus/consensus-metrics.ts'
import {
  ABSTAINING,
  CLOCK_AHEAD,
  CONNECTED_VALIDATORS,
  IS_VALIDATOR,
  QUORUM,
  SILENT_SECONDS,
  VALIDATORS,
} from '#consensus/status-metrics.ts'
import { FAILED_LOGINS } from '#jsonrpc/auth/refusals.ts'
import { ERRORS } from '#jsonrpc/dispatch/dispatch-metrics.ts'
import type { RpcErrorKind } from '#jsonrpc/errors.ts'
import { PEER_COUNT } from '#p2p/peer-metrics.ts'
import { PLUGIN_UP } from '#plugins/host/plugin-metrics.ts'
import { POOL_LIMIT, POOL_TRANSACTIONS } from '#pool/pool-metrics.ts'
import { CLOCK_TIME, MEMORY_LIMIT } from '#serve/process-metrics.ts'
import { IN_SYNC } from '#sync/sync-metrics.ts'
import { nameOf } from './panel.ts'

export interface Alert {
  readonly name: string
  readonly expr: string
  /** How long the condition must hold. */
  readonly for: string
  /** `critical`: blocks or data are at risk now. `warning`: they will be, or users notice. */
  readonly severity: 'critical' | 'warning'
  /** What is wrong, with `{{ $labels.… }}`. A validator's address is followed by the nodes that have its key. */
  readonly summary: string
  readonly whatToDo: string
}

/** Errors of the node, not of the caller. Callers over their limits have a panel and no alert. */
const OWN_ERRORS: readonly RpcErrorKind[] = ['INTERNAL_ERROR', 'TIMEOUT_ERROR']
/** The job name in deploy/prometheus. */
const JOB = 'cairn'

const isValidator = `${nameOf(IS_VALIDATOR)} == 1`
const height = nameOf(BLOCKCHAIN_HEIGHT)
const equivocations = nameOf(EQUIVOCATIONS)
const clock = nameOf(CLOCK_TIME)
const node = '{{ $labels.instance }}'

export const ALERTS: readonly Alert[] = [
  {
    name: 'CairnNodeDown',
    expr: `up{job="${JOB}"} == 0`,
    for: '1m',
    severity: 'critical',
    summary: `${node} does not answer.`,
    whatToDo:
      'Check that the process runs, and read the end of its log. A validator that is down is missing in the quorum.',
  },
  {
    name: 'CairnRestarts',
    expr: `changes(process_start_time_seconds{job="${JOB}"}[30m]) > 2`,
    for: '0m',
    severity: 'warning',
    summary: `${node} restarted more than twice within 30 minutes.`,
    whatToDo: 'Read the end of its log: often memory ran out or the disk is full.',
  },
  {
    name: 'CairnChainStalled',
    expr: `${nameOf(STALLED_SECONDS)} > 0`,
    for: '1m',
    severity: 'critical',
    summary: `The chain is stalled: the validator ${node} has seen no block for more than three rounds.`,
    whatToDo: 'Call bft_status, or run `cairn network status`: `cause` says why.',
  },
  {
    name: 'CairnHeadOld',
    expr: `time() - ${nameOf(HEAD_TIMESTAMP)} > 300 unless ${isValidator}`,
    for: '1m',
    severity: 'critical',
    summary: `The head of ${node} is older than 5 minutes.`,
    whatToDo:
      'Check whether the validators produce blocks; if so, whether this node has peers. With a long emptyblockperiodseconds, raise the limit of the alert.',
  },
  {
    name: 'CairnValidatorsBelowQuorum',
    expr: `${nameOf(CONNECTED_VALIDATORS)} < ${nameOf(QUORUM)} and ${isValidator}`,
    for: '1m',
    severity: 'critical',
    summary: `${node} reaches fewer validators than must sign a block.`,
    whatToDo:
      'Start the validators that are down, or repair the network between them: static nodes, firewalls, permissions. bft_status names the missing ones.',
  },
  {
    name: 'CairnNoSpareValidator',
    expr: `${nameOf(CONNECTED_VALIDATORS)} == ${nameOf(QUORUM)} and ${nameOf(QUORUM)} < ${nameOf(VALIDATORS)} and ${isValidator}`,
    for: '5m',
    severity: 'warning',
    summary: `${node} reaches only as many validators as must sign: one more failure stops the chain.`,
    whatToDo: 'Restore the missing validator; bft_status names it.',
  },
  {
    name: 'CairnValidatorSilent',
    expr: `${nameOf(SILENT_SECONDS)} > 300 and on (instance) delta(${height}[5m]) > 3`,
    for: '1m',
    severity: 'warning',
    summary: `${node} reports that the validator {{ $labels.validator }} does not sign, although the chain grows.`,
    whatToDo: 'Check that it runs, that its clock is right, and what its bft_status returns.',
  },
  {
    name: 'CairnValidatorProposesNothing',
    expr: `${isValidator} and increase(${nameOf(OWN_BLOCKS)}[30m]) == 0 and delta(${height}[30m]) > 3 * ${nameOf(VALIDATORS)}`,
    for: '10m',
    severity: 'warning',
    summary: `${node} is a validator but has not proposed a block for 30 minutes.`,
    whatToDo:
      'Others refuse its proposals or receive them late: compare its clock, its block building options and its load with other validators.',
  },
  {
    name: 'CairnValidatorAbstains',
    expr: `${nameOf(ABSTAINING)} == 1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} is a validator that abstains from signing, to avoid equivocation.`,
    whatToDo:
      'Its bft_status says until when. After the loss of its votes file it waits for a block of the others.',
  },
  {
    name: 'CairnEquivocation',
    expr: `${equivocations} - (${equivocations} offset 1h or ${equivocations} * 0) > 0`,
    for: '0m',
    severity: 'critical',
    summary:
      'The validator {{ $labels.validator }} equivocated: it signed two different messages in one round.',
    whatToDo: 'Two nodes run with its key. Stop both, decide which one is right, and start only that one.',
  },
  {
    name: 'CairnRoundChanges',
    expr: `increase(${nameOf(ROUND_CHANGES)}[15m]) > 10`,
    for: '0m',
    severity: 'warning',
    summary: `${node} had more than ten round changes within 15 minutes.`,
    whatToDo: 'A proposer is down or late: CairnValidatorSilent or the log line of each round names it.',
  },
  {
    name: 'CairnNoPeers',
    expr: `${nameOf(PEER_COUNT)} == 0 unless ${nameOf(VALIDATORS)} == 1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} has no peers.`,
    whatToDo: 'Check its static nodes and bootnodes, firewalls for its p2p port, and its permissions file.',
  },
  {
    name: 'CairnSyncStuck',
    expr: `${nameOf(IN_SYNC)} == 0 and changes(${height}[10m]) == 0`,
    for: '1m',
    severity: 'critical',
    summary: `${node} knows newer blocks but has not imported one for 10 minutes.`,
    whatToDo:
      'Its log names the refused block and the reason: another genesis file, an unknown fork, a full disk.',
  },
  {
    name: 'CairnClockWrong',
    expr: `abs(${clock} - timestamp(${clock})) > 2 or ${nameOf(CLOCK_AHEAD)} > 2`,
    for: '2m',
    severity: 'warning',
    summary: `The clock of ${node} is off by more than 2 seconds.`,
    whatToDo:
      'Other nodes refuse blocks from the future: synchronise all clocks with NTP. If all nodes are reported, the clock of Prometheus is wrong.',
  },
  {
    name: 'CairnDiskAlmostFull',
    expr: `${nameOf(DISK_FREE)} < 2 * 1024 ^ 3`,
    for: '5m',
    severity: 'critical',
    summary: `${node} has less than 2 GiB of free space on its database disk.`,
    whatToDo:
      'Free disk space. A node without space stops importing, and continues by itself when there is space.',
  },
  {
    name: 'CairnDiskFills',
    expr: `predict_linear(${nameOf(DISK_FREE)}[6h], 3 * 24 * 3600) < 0`,
    for: '1h',
    severity: 'warning',
    summary: `The disk of ${node} will be full within three days at the current rate.`,
    whatToDo: 'Enlarge the disk, or check what else grows on it.',
  },
  {
    name: 'CairnMemoryHigh',
    expr: `process_resident_memory_bytes / ${nameOf(MEMORY_LIMIT)} > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `${node} uses more than 90 % of its memory limit.`,
    whatToDo:
      'Raise the limit, or lower --rpc-engine-threads and the load. The system kills a process above its limit.',
  },
  {
    name: 'CairnFilesHigh',
    expr: `process_open_fds{job="${JOB}"} / process_max_fds > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `${node} has opened more than 90 % of its permitted files.`,
    whatToDo: 'Raise the limit (LimitNOFILE, ulimit -n), or lower the connection limits.',
  },
  {
    name: 'CairnPoolFull',
    expr: `${nameOf(POOL_TRANSACTIONS)} / ${nameOf(POOL_LIMIT)} > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `The pool of ${node} is more than 90 % full.`,
    whatToDo:
      'Call txpool_explain to see why transactions wait. Frequent reasons: nonce gaps, prices below --min-gas-price, or more transactions than blocks can hold.',
  },
  {
    name: 'CairnRpcErrors',
    expr: `sum by (instance, job) (rate(${nameOf(ERRORS)}{error=~"${OWN_ERRORS.join('|')}"}[5m])) > 0.1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} fails calls with internal errors or timeouts.`,
    whatToDo:
      'The node dashboard shows methods and errors. Timeouts mean more work than the node has threads for.',
  },
  {
    name: 'CairnFailedLogins',
    expr: `sum by (instance, job) (rate(${nameOf(FAILED_LOGINS)}[5m])) > 1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} sees many failed logins.`,
    whatToDo: 'The log names users and addresses. Restrict access to the port.',
  },
  {
    name: 'CairnPluginDown',
    expr: `${nameOf(PLUGIN_UP)} == 0`,
    for: '5m',
    severity: 'warning',
    summary: `The plugin {{ $labels.plugin }} of ${node} is down.`,
    whatToDo: 'Read in the log why it ended. Its declared onFailure applies meanwhile.',
  },
]

/** Alert rules as data: what hurts, when to wake somebody, and what to do then. */
import { HEAD_TIMESTAMP } from '#chain/chain-metrics.ts'
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
import { BLOCKCHAIN_HEIGHT, CLOCK_TIME, DISK_FREE, MEMORY_LIMIT } from '#node/metrics-service.ts'
import { PEER_COUNT } from '#p2p/peer-metrics.ts'
import { PLUGIN_UP } from '#plugins/host/plugin-metrics.ts'
import { POOL_LIMIT, POOL_TRANSACTIONS } from '#pool/pool-metrics.ts'
import { FAILED_LOGINS } from '#rpc/auth/refusals.ts'
import { ERRORS } from '#rpc/dispatch/dispatch-metrics.ts'
import type { RpcErrorKind } from '#rpc/errors.ts'
import { IN_SYNC } from '#sync/sync-metrics.ts'
import { nameOf } from './panel.ts'

export interface Alert {
  readonly name: string
  readonly expr: string
  /** How long it must last. */
  readonly for: string
  /** critical: blocks or data are at stake now. warning: they will be, or users notice. */
  readonly severity: 'critical' | 'warning'
  /** What is wrong, with `{{ $labels.… }}`. */
  readonly summary: string
  readonly whatToDo: string
}

/** Errors that are the node's and not the caller's; who is over its limits has a panel, and no alert. */
const OWN_ERRORS: readonly RpcErrorKind[] = ['INTERNAL_ERROR', 'TIMEOUT_ERROR']
/** Of the scrape configuration in deploy/prometheus. */
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
      'See whether the process runs and what its log ends with; a validator that is down is missing in the quorum.',
  },
  {
    name: 'CairnRestarts',
    expr: `changes(process_start_time_seconds{job="${JOB}"}[30m]) > 2`,
    for: '0m',
    severity: 'warning',
    summary: `${node} started again more than twice within half an hour.`,
    whatToDo: 'The end of its log says why it ended: often memory or a full disk.',
  },
  {
    name: 'CairnChainStands',
    expr: `${nameOf(STALLED_SECONDS)} > 0`,
    for: '1m',
    severity: 'critical',
    summary: `${node}, a validator, has seen no block for longer than three rounds.`,
    whatToDo:
      'Ask it for bft_status, or `cairn network status`: `cause` names who is missing or what does not fit.',
  },
  {
    name: 'CairnHeadOld',
    expr: `time() - ${nameOf(HEAD_TIMESTAMP)} > 300 unless ${isValidator}`,
    for: '1m',
    severity: 'critical',
    summary: `The last block of ${node} is older than five minutes.`,
    whatToDo:
      'See whether the validators go on; if so, whether this node has peers. Where blocks are rarer (emptyblockperiodseconds), raise the limit.',
  },
  {
    name: 'CairnValidatorsBelowQuorum',
    expr: `${nameOf(CONNECTED_VALIDATORS)} < ${nameOf(QUORUM)} and ${isValidator}`,
    for: '1m',
    severity: 'critical',
    summary: `${node} reaches fewer validators than must sign a block.`,
    whatToDo:
      'Start the validators that are down, or mend the network between them: static nodes, firewalls, permissions. bft_status says who is missing.',
  },
  {
    name: 'CairnNoSpareValidator',
    expr: `${nameOf(CONNECTED_VALIDATORS)} == ${nameOf(QUORUM)} and ${nameOf(QUORUM)} < ${nameOf(VALIDATORS)} and ${isValidator}`,
    for: '5m',
    severity: 'warning',
    summary: `${node} reaches just as many validators as must sign: one more failure stops the chain.`,
    whatToDo: 'Bring back the validator that is missing; bft_status says which.',
  },
  {
    name: 'CairnValidatorSilent',
    expr: `${nameOf(SILENT_SECONDS)} > 300 and on (instance) delta(${height}[5m]) > 3`,
    for: '1m',
    severity: 'warning',
    summary: `The validator {{ $labels.validator }} signs nothing, says ${node}, while blocks come.`,
    whatToDo: 'See whether it runs, whether its clock is right, and what its own bft_status says.',
  },
  {
    name: 'CairnValidatorProposesNothing',
    expr: `${isValidator} and increase(${nameOf(OWN_BLOCKS)}[30m]) == 0 and delta(${height}[30m]) > 3 * ${nameOf(VALIDATORS)}`,
    for: '10m',
    severity: 'warning',
    summary: `${node} is a validator, and none of the last blocks is its own.`,
    whatToDo:
      'Others refuse its proposals or get them late: compare its clock, its options of block building, and its load with theirs.',
  },
  {
    name: 'CairnValidatorAbstains',
    expr: `${nameOf(ABSTAINING)} == 1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} is a validator that signs nothing, so as not to contradict what it may have signed.`,
    whatToDo:
      'Its bft_status says until when; after the loss of its file of votes it waits for the chain to go on without it.',
  },
  {
    name: 'CairnContradictions',
    expr: `${equivocations} - (${equivocations} offset 1h or ${equivocations} * 0) > 0`,
    for: '0m',
    severity: 'critical',
    summary: 'The validator {{ $labels.validator }} signed two different things in one round.',
    whatToDo:
      'Two programs run with its key. Stop both, find out which is the right one, and start that one only.',
  },
  {
    name: 'CairnRoundChanges',
    expr: `increase(${nameOf(ROUND_CHANGES)}[15m]) > 10`,
    for: '0m',
    severity: 'warning',
    summary: `${node} went through more than ten rounds in vain within a quarter of an hour.`,
    whatToDo:
      'A proposer is down or late. CairnValidatorSilent names it, or the log line of each round does.',
  },
  {
    name: 'CairnNoPeers',
    expr: `${nameOf(PEER_COUNT)} == 0 unless ${nameOf(VALIDATORS)} == 1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} has no peers.`,
    whatToDo: 'See its static nodes and bootnodes, its p2p port in firewalls, and its permissions file.',
  },
  {
    name: 'CairnSyncStuck',
    expr: `${nameOf(IN_SYNC)} == 0 and changes(${height}[10m]) == 0`,
    for: '1m',
    severity: 'critical',
    summary: `${node} knows of newer blocks and has imported none for ten minutes.`,
    whatToDo:
      'Its log says which block it does not take and why: another genesis file, a fork that it does not know, a full disk.',
  },
  {
    name: 'CairnClockWrong',
    expr: `abs(${clock} - timestamp(${clock})) > 2 or ${nameOf(CLOCK_AHEAD)} > 2`,
    for: '2m',
    severity: 'warning',
    summary: `The clock of ${node} is off by more than two seconds.`,
    whatToDo:
      'Blocks carry its time, and others refuse what comes from the future: keep the clocks by NTP. If all nodes are reported, it is the clock of Prometheus.',
  },
  {
    name: 'CairnDiskAlmostFull',
    expr: `${nameOf(DISK_FREE)} < 2 * 1024 ^ 3`,
    for: '5m',
    severity: 'critical',
    summary: `${node} has less than 2 GiB left on the disk of its database.`,
    whatToDo: 'Make room. A node without room imports nothing and goes on by itself when there is some.',
  },
  {
    name: 'CairnDiskFills',
    expr: `predict_linear(${nameOf(DISK_FREE)}[6h], 3 * 24 * 3600) < 0`,
    for: '1h',
    severity: 'warning',
    summary: `The disk of ${node} will be full within three days, if it goes on like this.`,
    whatToDo: 'Enlarge the disk, or find out what else grows on it.',
  },
  {
    name: 'CairnMemoryHigh',
    expr: `process_resident_memory_bytes / ${nameOf(MEMORY_LIMIT)} > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `${node} uses more than nine tenths of the memory that it may use.`,
    whatToDo:
      'Raise the limit, or lower --rpc-engine-threads and the load; the system ends a process that goes beyond it.',
  },
  {
    name: 'CairnFilesHigh',
    expr: `process_open_fds{job="${JOB}"} / process_max_fds > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `${node} has nine tenths of the files open that it may open.`,
    whatToDo: 'Raise the limit (LimitNOFILE, ulimit -n), or lower the limits of connections.',
  },
  {
    name: 'CairnPoolFull',
    expr: `${nameOf(POOL_TRANSACTIONS)} / ${nameOf(POOL_LIMIT)} > 0.9`,
    for: '5m',
    severity: 'warning',
    summary: `The pool of ${node} is nine tenths full.`,
    whatToDo:
      'txpool_explain says why transactions wait. Missing nonces and prices below --min-gas-price are frequent; or more is sent than blocks hold.',
  },
  {
    name: 'CairnRpcErrors',
    expr: `sum by (instance, job) (rate(${nameOf(ERRORS)}{error=~"${OWN_ERRORS.join('|')}"}[5m])) > 0.1`,
    for: '5m',
    severity: 'warning',
    summary: `${node} fails calls for reasons of its own: errors or time-outs.`,
    whatToDo:
      'The dashboard of nodes shows methods and errors. Time-outs mean more work than the node has threads for.',
  },
  {
    name: 'CairnFailedLogins',
    expr: `sum by (instance, job) (rate(${nameOf(FAILED_LOGINS)}[5m])) > 1`,
    for: '5m',
    severity: 'warning',
    summary: `Somebody tries passwords at ${node}.`,
    whatToDo: 'The log names users and addresses; close the port to strangers.',
  },
  {
    name: 'CairnPluginDown',
    expr: `${nameOf(PLUGIN_UP)} == 0`,
    for: '5m',
    severity: 'warning',
    summary: `The plugin {{ $labels.plugin }} of ${node} does not run.`,
    whatToDo: 'The log says why it ended; its declared choices answer meanwhile.',
  },
]

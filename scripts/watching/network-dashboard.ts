/** The state of the network: chain, consensus, peers and pool of all nodes together. */
import { ACCOUNT_CHECKS } from '#allowlist/permissions.ts'
import {
  HEAD_GAS_LIMIT,
  HEAD_GAS_USED,
  HEAD_TIMESTAMP,
  HEAD_TRANSACTIONS,
  IMPORTED_GAS,
  IMPORTED_TRANSACTIONS,
} from '#chain/chain-metrics.ts'
import { BLOCKCHAIN_HEIGHT } from '#chain/main-metrics.ts'
import {
  COMMIT_TIME,
  CONSENSUS_HEIGHT,
  CONSENSUS_ROUND,
  EQUIVOCATIONS,
  OWN_BLOCKS,
  ROUND_CHANGES,
  STALLED_SECONDS,
} from '#consensus/consensus-metrics.ts'
import {
  ABSTAINING,
  CLOCK_AHEAD,
  CONNECTED_VALIDATORS,
  IS_VALIDATOR,
  QUORUM,
  SILENT_SECONDS,
  VALIDATORS,
} from '#consensus/status-metrics.ts'
import {
  NODE_CHECKS,
  PEER_COUNT,
  PEER_LIMIT,
  PEERS_CONNECTED,
  PEERS_DISCONNECTED,
} from '#p2p/peer-metrics.ts'
import type { MetricRow } from '#platform/metrics/metrics.ts'
import {
  POOL_ADDED,
  POOL_DROPPED,
  POOL_LIMIT,
  POOL_PENDING,
  POOL_SENDERS,
  POOL_SPACE,
  POOL_TRANSACTIONS,
} from '#pool/pool-metrics.ts'
import { CLOCK_TIME } from '#serve/process-metrics.ts'
import { BEST_KNOWN, IN_SYNC } from '#sync/sync-metrics.ts'
import {
  type Dashboard,
  lines,
  number,
  of,
  quantileOf,
  rareRate,
  rate,
  type Section,
  told,
  value,
  valueBy,
} from './panel.ts'

const CHAIN: Section = {
  title: 'Chain',
  panels: [
    number('Height', BLOCKCHAIN_HEIGHT, `max(${of(BLOCKCHAIN_HEIGHT)})`),
    number('Age of the last block', HEAD_TIMESTAMP, `time() - max(${of(HEAD_TIMESTAMP)})`, {
      unit: 's',
      help: 'Time since the last block that any of these nodes has.',
    }),
    number('Without a block for', STALLED_SECONDS, `max(${of(STALLED_SECONDS)})`, { unit: 's' }),
    number(
      'Validators in reach',
      CONNECTED_VALIDATORS,
      `min(${of(CONNECTED_VALIDATORS)} and ${of(IS_VALIDATOR)} == 1)`,
      {
        help: 'Of the validators, the one that reaches the fewest others: so many, itself included.',
      },
    ),
    number('Quorum', QUORUM, `max(${of(QUORUM)})`),
    number('Validators', VALIDATORS, `max(${of(VALIDATORS)})`),
    lines('Height by node', [value(BLOCKCHAIN_HEIGHT)]),
    lines(
      'Time between blocks',
      [told(BLOCKCHAIN_HEIGHT, `1 / rate(${of(BLOCKCHAIN_HEIGHT)}[$__rate_interval])`)],
      { unit: 's', help: 'On the average of the interval.' },
    ),
    lines('Blocks behind', [told(BEST_KNOWN, `${of(BEST_KNOWN)} - ${of(BLOCKCHAIN_HEIGHT)}`)], {
      help: 'How many blocks peers have that this node has not.',
    }),
    lines('In step with peers', [value(IN_SYNC)]),
    lines('Transactions per second', [rate(IMPORTED_TRANSACTIONS)], {
      help: 'In the blocks that came into the chain.',
    }),
    lines('Gas per second', [rate(IMPORTED_GAS)], { help: 'Of the blocks that came into the chain.' }),
    lines('Gas of the last block', [value(HEAD_GAS_USED, 'used'), value(HEAD_GAS_LIMIT, 'limit')], {
      help: 'Gas used by the last block, and its limit.',
    }),
    lines('Transactions in the last block', [value(HEAD_TRANSACTIONS)]),
  ],
}

const CONSENSUS: Section = {
  title: 'Consensus',
  panels: [
    lines('Height in agreement', [value(CONSENSUS_HEIGHT)]),
    lines('Round', [value(CONSENSUS_ROUND)]),
    lines('Rounds above 0 per second', [rate(ROUND_CHANGES)]),
    lines(
      'Time to commit',
      [
        told(COMMIT_TIME, quantileOf(COMMIT_TIME, 0.5), '{{instance}} half'),
        told(COMMIT_TIME, quantileOf(COMMIT_TIME, 0.99), '{{instance}} 99 of 100'),
      ],
      { unit: 's' },
    ),
    lines('Own blocks per second', [rate(OWN_BLOCKS)]),
    lines('Standing still for', [value(STALLED_SECONDS)], { unit: 's' }),
    lines('Validators that are silent', [valueBy(SILENT_SECONDS, 'validator')], { unit: 's' }),
    lines('Validators in reach by node', [value(CONNECTED_VALIDATORS, 'reached'), value(QUORUM, 'needed')]),
    lines(
      'Clock, against Prometheus',
      [told(CLOCK_TIME, `${of(CLOCK_TIME)} - timestamp(${of(CLOCK_TIME)})`)],
      {
        unit: 's',
        help: 'How far the clock of the machine is ahead of that of Prometheus; the time of the answer counts.',
      },
    ),
    lines('Clock, against validators', [value(CLOCK_AHEAD)], { unit: 's' }),
    lines('Signs nothing', [value(ABSTAINING)]),
    lines('Contradictions per second', [rareRate(EQUIVOCATIONS, 'validator')]),
  ],
}

const PEERS: Section = {
  title: 'Peers',
  panels: [
    lines('Peers', [value(PEER_COUNT), value(PEER_LIMIT, 'limit')]),
    lines('Connections per second', [rate(PEERS_CONNECTED)]),
    lines('Connections that end, per second', [rareRate(PEERS_DISCONNECTED, 'initiator', 'reason')]),
    lines(
      'Nodes looked up per second',
      [
        told(NODE_CHECKS.permitted, rateText(NODE_CHECKS.permitted), '{{instance}} permitted'),
        told(NODE_CHECKS.unpermitted, rateText(NODE_CHECKS.unpermitted), '{{instance}} refused'),
      ],
      { help: 'How often nodes were looked up in the allowlist.' },
    ),
  ],
}

const POOL: Section = {
  title: 'Pool',
  panels: [
    lines('Transactions that wait', [
      value(POOL_TRANSACTIONS),
      value(POOL_PENDING, 'could be in a block'),
      value(POOL_LIMIT, 'limit'),
    ]),
    lines('Senders', [value(POOL_SENDERS)]),
    lines('Bytes', [value(POOL_SPACE)], { unit: 'bytes' }),
    lines('Transactions that come, per second', [rareRate(POOL_ADDED, 'source')]),
    lines('Transactions that are dropped, per second', [rareRate(POOL_DROPPED, 'reason')]),
    lines(
      'Accounts looked up per second',
      [
        told(ACCOUNT_CHECKS.permitted, rateText(ACCOUNT_CHECKS.permitted), '{{instance}} permitted'),
        told(ACCOUNT_CHECKS.unpermitted, rateText(ACCOUNT_CHECKS.unpermitted), '{{instance}} refused'),
      ],
      { help: 'How often accounts were looked up in the allowlist.' },
    ),
  ],
}

/** Without an allowlist the metric does not exist. */
function rateText(row: MetricRow): string {
  return rareRate(row)[1].expr
}

export const NETWORK_DASHBOARD: Dashboard = {
  uid: 'cairn-network',
  title: 'Cairn: network',
  help: 'How the network does: chain, consensus, peers and pool.',
  sections: [CHAIN, CONSENSUS, PEERS, POOL],
}

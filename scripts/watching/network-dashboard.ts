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
    number('Age of the head', HEAD_TIMESTAMP, `time() - max(${of(HEAD_TIMESTAMP)})`, {
      unit: 's',
      help: 'Time since the newest block of these nodes.',
    }),
    number('Stalled for', STALLED_SECONDS, `max(${of(STALLED_SECONDS)})`, { unit: 's' }),
    number(
      'Connected validators',
      CONNECTED_VALIDATORS,
      `min(${of(CONNECTED_VALIDATORS)} and ${of(IS_VALIDATOR)} == 1)`,
      {
        help: 'Connections of the worst-connected validator, including itself.',
      },
    ),
    number('Quorum', QUORUM, `max(${of(QUORUM)})`),
    number('Validators', VALIDATORS, `max(${of(VALIDATORS)})`),
    lines('Height by node', [value(BLOCKCHAIN_HEIGHT)]),
    lines(
      'Time between blocks',
      [told(BLOCKCHAIN_HEIGHT, `1 / rate(${of(BLOCKCHAIN_HEIGHT)}[$__rate_interval])`)],
      { unit: 's', help: 'Average over the interval.' },
    ),
    lines('Blocks behind', [told(BEST_KNOWN, `${of(BEST_KNOWN)} - ${of(BLOCKCHAIN_HEIGHT)}`)], {
      help: 'Blocks that peers have and this node lacks.',
    }),
    lines('In sync with peers', [value(IN_SYNC)]),
    lines('Transactions per second', [rate(IMPORTED_TRANSACTIONS)], {
      help: 'Transactions in imported blocks.',
    }),
    lines('Gas per second', [rate(IMPORTED_GAS)], { help: 'Gas used by imported blocks.' }),
    lines('Gas of the last block', [value(HEAD_GAS_USED, 'used'), value(HEAD_GAS_LIMIT, 'limit')], {
      help: 'Gas used by the last block, and its limit.',
    }),
    lines('Transactions in the last block', [value(HEAD_TRANSACTIONS)]),
  ],
}

const CONSENSUS: Section = {
  title: 'Consensus',
  panels: [
    lines('Consensus height', [value(CONSENSUS_HEIGHT)]),
    lines('Round', [value(CONSENSUS_ROUND)]),
    lines('Round changes per second', [rate(ROUND_CHANGES)]),
    lines(
      'Time to commit',
      [
        told(COMMIT_TIME, quantileOf(COMMIT_TIME, 0.5), '{{instance}} p50'),
        told(COMMIT_TIME, quantileOf(COMMIT_TIME, 0.99), '{{instance}} p99'),
      ],
      { unit: 's' },
    ),
    lines('Own blocks per second', [rate(OWN_BLOCKS)]),
    lines('Stalled for, by node', [value(STALLED_SECONDS)], { unit: 's' }),
    lines('Silent validators', [valueBy(SILENT_SECONDS, 'validator')], { unit: 's' }),
    lines('Connected validators by node', [
      value(CONNECTED_VALIDATORS, 'connected'),
      value(QUORUM, 'quorum'),
    ]),
    lines(
      'Clock compared with Prometheus',
      [told(CLOCK_TIME, `${of(CLOCK_TIME)} - timestamp(${of(CLOCK_TIME)})`)],
      {
        unit: 's',
        help: 'Seconds that the machine is ahead of Prometheus, including response time.',
      },
    ),
    lines('Clock compared with validators', [value(CLOCK_AHEAD)], { unit: 's' }),
    lines('Abstaining', [value(ABSTAINING)]),
    lines('Equivocations per second', [rareRate(EQUIVOCATIONS, 'validator')]),
  ],
}

const PEERS: Section = {
  title: 'Peers',
  panels: [
    lines('Peers', [value(PEER_COUNT), value(PEER_LIMIT, 'limit')]),
    lines('Connections per second', [rate(PEERS_CONNECTED)]),
    lines('Closed connections per second', [rareRate(PEERS_DISCONNECTED, 'initiator', 'reason')]),
    lines(
      'Node permission checks per second',
      [
        told(NODE_CHECKS.permitted, rateText(NODE_CHECKS.permitted), '{{instance}} permitted'),
        told(NODE_CHECKS.unpermitted, rateText(NODE_CHECKS.unpermitted), '{{instance}} refused'),
      ],
      { help: 'Node lookups in the allowlist.' },
    ),
  ],
}

const POOL: Section = {
  title: 'Pool',
  panels: [
    lines('Transactions in the pool', [
      value(POOL_TRANSACTIONS),
      value(POOL_PENDING, 'pending'),
      value(POOL_LIMIT, 'limit'),
    ]),
    lines('Senders', [value(POOL_SENDERS)]),
    lines('Bytes', [value(POOL_SPACE)], { unit: 'bytes' }),
    lines('Added transactions per second', [rareRate(POOL_ADDED, 'source')]),
    lines('Dropped transactions per second', [rareRate(POOL_DROPPED, 'reason')]),
    lines(
      'Account permission checks per second',
      [
        told(ACCOUNT_CHECKS.permitted, rateText(ACCOUNT_CHECKS.permitted), '{{instance}} permitted'),
        told(ACCOUNT_CHECKS.unpermitted, rateText(ACCOUNT_CHECKS.unpermitted), '{{instance}} refused'),
      ],
      { help: 'Account lookups in the allowlist.' },
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
  help: 'State of the network: chain, consensus, peers and pool.',
  sections: [CHAIN, CONSENSUS, PEERS, POOL],
}

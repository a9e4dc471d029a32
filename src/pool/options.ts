import {
  boolean,
  decimal,
  explicitBoolean,
  integer,
  listOf,
  long,
  oneOf,
  pathInData,
  text,
  unsigned,
} from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const poolOptions = defineOptions('Transaction pool', {
  kind: {
    flag: '--tx-pool',
    kind: oneOf(['LAYERED', 'SEQUENCED'], { LEGACY: 'SEQUENCED' }),
    default: 'LAYERED',
    help: 'Which pool of Besu a configuration was written for. Cairn has one pool, which takes the options of both.',
  },
  maxSize: {
    flag: '--tx-pool-max-size',
    kind: integer({ min: 1 }),
    default: 16_384,
    help: 'Most transactions in the pool. When it is full, those that pay least make room.',
  },
  maxBytes: {
    flag: '--tx-pool-layer-max-capacity',
    kind: { ...integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), label: long.label },
    default: 50_000_000,
    help: 'Most bytes of transactions in the pool.',
  },
  maxFutureBySender: {
    flag: '--tx-pool-max-future-by-sender',
    kind: integer({ min: 1 }),
    default: 200,
    help: 'How far behind the pending transactions of its sender a nonce may be. Those that follow without a gap are not limited by it.',
  },
  limitByAccountPercentage: {
    flag: '--tx-pool-limit-by-account-percentage',
    kind: decimal,
    help: 'Share of the pool, from 0 to 1, that the transactions of one sender may fill. Without it one sender may fill the pool, and makes room first when others pay more.',
  },
  priceBump: {
    flag: '--tx-pool-price-bump',
    kind: integer({ min: 0, max: 100 }),
    defaultText: '10, or 0 where gas is free',
    help: 'Percent by which the fees of a replacement must be above those of the transaction with the same sender and nonce. With 0, as high is enough.',
  },
  blobPriceBump: {
    flag: '--tx-pool-blob-price-bump',
    kind: integer({ min: 0, max: 100 }),
    default: 100,
    help: 'The same where one of the two has blobs.',
  },
  minGasPrice: {
    flag: '--tx-pool-min-gas-price',
    kind: unsigned,
    defaultText: 'as --min-gas-price',
    help: 'Lowest highest fee, in wei per gas, to enter the pool. It does not hold for transactions with priority.',
  },
  noLocalPriority: {
    flag: '--tx-pool-no-local-priority',
    aliases: ['--tx-pool-disable-locals'],
    kind: boolean,
    default: false,
    help: 'Treat transactions sent to this node like all others. Otherwise they have priority.',
  },
  prioritySenders: {
    flag: '--tx-pool-priority-senders',
    kind: listOf(text),
    default: [],
    help: 'Senders whose transactions have priority: they go into blocks before all others, and make room after them.',
  },
  enableBalanceCheck: {
    flag: '--tx-pool-enable-balance-check',
    kind: explicitBoolean,
    default: true,
    help: 'Refuse transactions that their sender cannot pay when it sends them.',
  },
  retentionHours: {
    flag: '--tx-pool-retention-hours',
    kind: integer({ min: 1 }),
    default: 13,
    help: 'How many hours a transaction may wait.',
  },
  enableSaveRestore: {
    flag: '--tx-pool-enable-save-restore',
    kind: boolean,
    default: false,
    help: 'Keep the pool over a restart. A transaction sent to this node is on the disk before it is answered; those of other nodes are saved when the node stops.',
  },
  saveFile: {
    flag: '--tx-pool-save-file',
    kind: pathInData,
    default: 'txpool.dump',
    help: 'Where the pool is kept; a relative path begins at the data directory.',
  },
  feeCap: {
    flag: '--rpc-tx-feecap',
    kind: unsigned,
    default: 10n ** 18n,
    help: 'Highest fee, in wei, of a transaction sent to this node: gas limit times price. 0: no limit.',
  },
  strictReplayProtection: {
    flag: '--strict-tx-replay-protection-enabled',
    kind: boolean,
    default: false,
    help: 'Refuse transactions that name no chain.',
  },
})

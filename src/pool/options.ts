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
    help: 'Pool type of a Besu configuration; Cairn has one pool.',
    details: 'Cairn accepts the options of both types.',
  },
  maxSize: {
    flag: '--tx-pool-max-size',
    kind: integer({ min: 1 }),
    default: 16_384,
    help: 'Maximum transactions in the pool; the cheapest leave first.',
  },
  maxBytes: {
    flag: '--tx-pool-layer-max-capacity',
    kind: { ...integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), label: long.label },
    default: 50_000_000,
    help: 'Maximum bytes of transactions in the pool.',
  },
  maxFutureBySender: {
    flag: '--tx-pool-max-future-by-sender',
    kind: integer({ min: 1 }),
    default: 200,
    help: 'Maximum nonce gap to the pending transactions of a sender.',
    details: 'Transactions without a gap are not limited by it.',
  },
  limitByAccountPercentage: {
    flag: '--tx-pool-limit-by-account-percentage',
    kind: decimal,
    help: 'Maximum share of the pool for one sender, 0 to 1.',
    details:
      'Without it, one sender may fill the pool, and its transactions leave first when others pay more.',
  },
  priceBump: {
    flag: '--tx-pool-price-bump',
    kind: integer({ min: 0, max: 100 }),
    defaultText: '10, or 0 if gas is free',
    help: 'Minimum fee increase of a replacement, in percent.',
    details: 'With 0, the same fee suffices.',
  },
  blobPriceBump: {
    flag: '--tx-pool-blob-price-bump',
    kind: integer({ min: 0, max: 100 }),
    default: 100,
    help: 'The same for blob transactions, in percent.',
  },
  minGasPrice: {
    flag: '--tx-pool-min-gas-price',
    kind: unsigned,
    defaultText: 'as --min-gas-price',
    help: 'Minimum max-fee-per-gas to enter the pool, in wei.',
    details: 'It does not apply to transactions with priority.',
  },
  noLocalPriority: {
    flag: '--tx-pool-no-local-priority',
    aliases: ['--tx-pool-disable-locals'],
    kind: boolean,
    default: false,
    help: 'Give local transactions no priority.',
  },
  prioritySenders: {
    flag: '--tx-pool-priority-senders',
    kind: listOf(text),
    default: [],
    help: 'Senders with priority.',
    details: 'Their transactions enter blocks first and leave the pool last.',
  },
  enableBalanceCheck: {
    flag: '--tx-pool-enable-balance-check',
    kind: explicitBoolean,
    default: true,
    help: 'Refuse transactions that their sender cannot pay for.',
  },
  retentionHours: {
    flag: '--tx-pool-retention-hours',
    kind: integer({ min: 1 }),
    default: 13,
    help: 'Maximum hours that a transaction may wait.',
  },
  enableSaveRestore: {
    flag: '--tx-pool-enable-save-restore',
    kind: boolean,
    default: false,
    help: 'Save the pool across restarts.',
    details:
      'A transaction sent to this node is on disk before the answer; transactions of peers are saved when the node stops.',
  },
  saveFile: {
    flag: '--tx-pool-save-file',
    kind: pathInData,
    default: 'txpool.dump',
    help: 'Pool file, relative to the data directory.',
  },
  feeCap: {
    flag: '--rpc-tx-feecap',
    kind: unsigned,
    default: 10n ** 18n,
    help: 'Maximum fee of a local transaction, in wei; 0 for no limit.',
    details: 'The fee is the gas limit times the price.',
  },
  strictReplayProtection: {
    flag: '--strict-tx-replay-protection-enabled',
    kind: boolean,
    default: false,
    help: 'Refuse transactions without a chain id.',
  },
})

import { DEFAULT_REORG_LOGGING_THRESHOLD } from '#chain/write/chain-parts.ts'
import { boolean, integer, long, oneOf, percentage, unsigned } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

const DEFAULT_HISTORY_BLOCKS = 512

/** What is kept of the chain. */
export const ledgerOptions = defineOptions('Data storage', {
  dataStorageFormat: {
    flag: '--data-storage-format',
    kind: oneOf(['BONSAI', 'FOREST'], { X_BONSAI_ARCHIVE: 'FOREST' }),
    default: 'BONSAI',
    help: 'BONSAI keeps the states of recent blocks only, FOREST those of all blocks (X_BONSAI_ARCHIVE is the same). A data directory keeps the format it was made with.',
  },
  bonsaiHistoricalBlockLimit: {
    flag: '--bonsai-historical-block-limit',
    kind: { ...integer({ min: DEFAULT_HISTORY_BLOCKS }), label: 'LONG' },
    default: DEFAULT_HISTORY_BLOCKS,
    help: 'With BONSAI, how many recent states to keep, at least 512.',
  },
  revertReasonEnabled: {
    flag: '--revert-reason-enabled',
    kind: boolean,
    default: false,
    help: 'Store the revert reasons of transactions with their receipts, for blocks imported from now on.',
  },
  traceStoreEnabled: {
    flag: '--trace-store-enabled',
    kind: boolean,
    default: true,
    help: 'Keep the calls of transactions with their block, so that trace_block, trace_transaction, trace_get and trace_filter need not execute anything; for blocks imported from now on (cairn traces rebuild does it for those before).',
  },
  reorgLoggingThreshold: {
    flag: '--reorg-logging-threshold',
    kind: long,
    default: DEFAULT_REORG_LOGGING_THRESHOLD,
    help: 'A reorganisation of more blocks than this is logged as a warning.',
  },
})

/** What the blocks that this node makes are like. */
export const buildingOptions = defineOptions('Block building', {
  targetGasLimit: {
    flag: '--target-gas-limit',
    kind: { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' },
    help: 'Gas limit towards which the blocks of this node move, each by less than 1/1024. Without it the gas limit does not change, or returns to the genesis limit if lower.',
  },
  minGasPrice: {
    flag: '--min-gas-price',
    kind: unsigned,
    default: 1_000n,
    help: 'Lowest gas price in wei. Where the genesis file has fixedBaseFee it is the base fee of the blocks of this node, so give all validators the same.',
  },
  minPriorityFee: {
    flag: '--min-priority-fee',
    kind: unsigned,
    default: 0n,
    help: 'Lowest priority fee per gas in wei: what the maker of a block gets of a transaction at least, to choose it.',
  },
  selectionMaxTimeMs: {
    flag: '--block-txs-selection-max-time',
    kind: integer({ min: 1, max: 5_000 }),
    default: 5_000,
    help: 'Milliseconds in which the transactions of a block are chosen and executed, on the development network; validators have --poa-block-txs-selection-max-time.',
  },
  poaSelectionMaxTime: {
    flag: '--poa-block-txs-selection-max-time',
    kind: percentage,
    default: 75,
    help: 'Percentage of the block period in which the transactions of a block are chosen and executed; when it is over, the block takes those that were executed.',
  },
})

import { boolean, integer, long, oneOf } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { DEFAULT_HISTORY_BLOCKS } from '#store/open-store.ts'
import { DEFAULT_REORG_LOGGING_THRESHOLD } from './chain-options.ts'

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
    help: 'Keep in receipts what reverted transactions returned; for blocks imported from now on.',
  },
  reorgLoggingThreshold: {
    flag: '--reorg-logging-threshold',
    kind: long,
    default: DEFAULT_REORG_LOGGING_THRESHOLD,
    help: 'A reorganisation of more blocks than this is logged as a warning.',
  },
})

import { usageFault } from '#config/faults.ts'
import {
  boolean,
  httpUrl,
  integer,
  type Kind,
  long,
  oneOf,
  path,
  percentage,
  text,
  unsigned,
} from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

const DEFAULT_HISTORY_BLOCKS = 512
const DEFAULT_HISTORY_CACHE_BYTES = 256 * 1024 * 1024
/** Contracts read the last 256 block hashes, and a chain rewinds no further than to the first block in the database. */
const MIN_HOT_BLOCKS = 256
const DEFAULT_HOT_BLOCKS = 90_000

const hotBlocks: Kind<number> = {
  ...long,
  parse: (text) => {
    const blocks = integer({ min: 0 }).parse(text)
    if (blocks > 0 && blocks < MIN_HOT_BLOCKS)
      throw usageFault(`'${text}' is neither 0 nor at least ${MIN_HOT_BLOCKS}`)
    return blocks
  },
}

export const ledgerOptions = defineOptions('Data storage', {
  dataStorageFormat: {
    flag: '--data-storage-format',
    kind: oneOf(['BONSAI', 'FOREST'], { X_BONSAI_ARCHIVE: 'FOREST' }),
    default: 'BONSAI',
    help: 'State storage: BONSAI for recent blocks, FOREST for all blocks.',
    details: 'X_BONSAI_ARCHIVE is the same as FOREST. A data directory keeps its format.',
  },
  bonsaiHistoricalBlockLimit: {
    flag: '--bonsai-historical-block-limit',
    kind: { ...integer({ min: DEFAULT_HISTORY_BLOCKS }), label: 'LONG' },
    default: DEFAULT_HISTORY_BLOCKS,
    help: 'Recent states that BONSAI keeps, at least 512.',
  },
  revertReasonEnabled: {
    flag: '--revert-reason-enabled',
    kind: boolean,
    default: false,
    help: 'Store revert reasons with receipts of new blocks.',
  },
  traceStoreEnabled: {
    flag: '--trace-store-enabled',
    kind: boolean,
    default: true,
    help: 'Store call traces with new blocks.',
    details:
      'trace_block, trace_transaction, trace_get and trace_filter then need no execution. `cairn traces rebuild` adds the traces of older blocks.',
  },
  historyHotBlocks: {
    flag: '--history-hot-blocks',
    kind: hotBlocks,
    default: DEFAULT_HOT_BLOCKS,
    help: 'Recent blocks in the database; older ones move to segments.',
    details:
      'Blocks move in groups of 8192, in the background, and every method still finds them. At least 256; with 0 no block moves. Earlier versions of Cairn do not open a database after its first move.',
  },
  historyArchive: {
    flag: '--history-archive',
    kind: httpUrl,
    help: 'S3-compatible store to which segments are copied.',
    details:
      'Server, bucket and prefix: `https://s3.example.org/bucket/prefix`. Several nodes of a network share one archive. Blocks and peers never wait for it.',
  },
  historyArchiveRegion: {
    flag: '--history-archive-region',
    kind: text,
    default: 'us-east-1',
    help: 'Region of the history archive, for signatures.',
  },
  historyArchiveCredentialsFile: {
    flag: '--history-archive-credentials-file',
    kind: path,
    help: 'File with access key and secret key of the archive.',
    details:
      'One per line, and a session token on the third line if there is one. The node reads it before each request. Without the option, requests are not signed.',
  },
  historyLocalBytes: {
    flag: '--history-local-bytes',
    kind: { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' },
    help: 'Bytes of archived segments to keep on this disk.',
    details:
      'The oldest local copies are deleted first, and only if the archive has them; headers and indexes stay. Without the option, all copies stay.',
  },
  historyCacheBytes: {
    flag: '--history-cache-bytes',
    kind: { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' },
    default: DEFAULT_HISTORY_CACHE_BYTES,
    help: 'Disk space for parts read from the history archive.',
  },
  reorgLoggingThreshold: {
    flag: '--reorg-logging-threshold',
    kind: long,
    default: 6,
    help: 'Depth above which a reorg is logged as a warning.',
  },
})

export const buildingOptions = defineOptions('Block building', {
  targetGasLimit: {
    flag: '--target-gas-limit',
    kind: { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' },
    help: 'Gas limit that the blocks of this node approach.',
    details:
      'Each block changes it by less than 1/1024. Without the option it stays, or returns to the genesis limit if lower.',
  },
  minGasPrice: {
    flag: '--min-gas-price',
    kind: unsigned,
    default: 1_000n,
    help: 'Minimum gas price in wei.',
    details:
      'If the genesis file has fixedBaseFee, this is the base fee of the blocks of this node: use the same value on all validators.',
  },
  minPriorityFee: {
    flag: '--min-priority-fee',
    kind: unsigned,
    default: 0n,
    help: 'Minimum priority fee for inclusion, in wei per gas.',
  },
  selectionMaxTimeMs: {
    flag: '--block-txs-selection-max-time',
    kind: integer({ min: 1, max: 5_000 }),
    default: 5_000,
    help: 'Milliseconds to select and execute transactions on the development network.',
    details: 'Validators use --poa-block-txs-selection-max-time.',
  },
  poaSelectionMaxTime: {
    flag: '--poa-block-txs-selection-max-time',
    kind: percentage,
    default: 75,
    help: 'Percentage of the block period to select and execute transactions.',
    details: 'When it is over, the block takes the transactions executed so far.',
  },
})

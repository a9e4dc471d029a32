import { secondsOf } from '#chain/execute/execute.ts'
import { IMPORT_STEPS, type ImportStep } from '#chain/execute/timings.ts'
import {
  type CounterRow,
  type GaugeRow,
  Gauges,
  type Metrics,
  type SummaryRow,
} from '#platform/metrics/metrics.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import type { ChainView } from './read/chain-view.ts'
import { hasBftDifficulty } from './read/total-difficulty.ts'
import type { Chain } from './write/create-chain.ts'

interface ReadChain {
  readonly chain: Chain
  readonly view: ChainView
}

export const HEAD_GAUGES = new Gauges<ReadChain>('blockchain')
export const MARKED_GAUGES = new Gauges<ReadChain>('ethereum')

export const HEAD_TIMESTAMP = HEAD_GAUGES.declare({
  name: 'chain_head_timestamp',
  help: 'Timestamp of the head, in seconds since 1970',
  besu: 'same',
  read: ({ chain }) => secondsOf(chain.head.header),
})

export const HEAD_GAS_USED = HEAD_GAUGES.declare({
  name: 'chain_head_gas_used',
  help: 'Gas used by the head block',
  besu: 'same',
  read: ({ chain }) => Number(chain.head.header.gasUsed),
})

export const HEAD_GAS_LIMIT = HEAD_GAUGES.declare({
  name: 'chain_head_gas_limit',
  help: 'Gas limit of the head block',
  besu: 'same',
  read: ({ chain }) => Number(chain.head.header.gasLimit),
})

export const HEAD_TRANSACTIONS = HEAD_GAUGES.declare({
  name: 'chain_head_transactions',
  help: 'Transactions in the head block',
  besu: { name: 'chain_head_transaction_count' },
  read: headTransactions,
})

export const DIFFICULTY: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'difficulty',
  help: 'Total difficulty of the head, on BFT networks',
  besu: { name: 'difficulty', formerName: 'difficulty_total' },
}

export const SAFE_BLOCK = MARKED_GAUGES.declare({
  name: 'blockchain_safe_block',
  help: 'Number of the safe block; the head on BFT networks, 0 if unset',
  besu: 'same',
  read: ({ view }) => Number(view.safe()?.header.number ?? 0n),
})

export const FINALIZED_BLOCK = MARKED_GAUGES.declare({
  name: 'blockchain_finalized_block',
  help: 'Number of the finalized block; the head on BFT networks, 0 if unset',
  besu: 'same',
  read: ({ view }) => Number(view.finalized()?.header.number ?? 0n),
})

export const IMPORTED_GAS: CounterRow = {
  kind: 'counter',
  category: 'blockchain',
  name: 'gas_used',
  help: 'Gas used by blocks imported since the start',
  besu: { name: 'chain_head_gas_used_counter' },
}

export const IMPORTED_TRANSACTIONS: CounterRow = {
  kind: 'counter',
  category: 'blockchain',
  name: 'transactions',
  help: 'Transactions in blocks imported since the start',
  besu: { name: 'chain_head_transaction_count_counter' },
}

export const BUILT_BLOCKS: CounterRow = {
  kind: 'counter',
  category: 'blockchain',
  name: 'blocks_built',
  help: 'Blocks built since the start, also those never imported',
}

export const STATE_ROOT_TIME: SummaryRow = {
  kind: 'summary',
  category: 'block_processing',
  name: 'state_root_calculation_duration_seconds',
  help: 'Time to compute the state root of a block, in seconds',
  besu: 'same',
}

export const IMPORT_TIME: CounterRow<'step'> = {
  kind: 'counter',
  category: 'blockchain',
  name: 'import_step_seconds',
  help: 'Time spent on validating, building and importing blocks, by step, in seconds',
  labels: ['step'],
}

const SECOND_MS = 1_000

/** Declares the metrics of the writer thread and returns a function that samples them. */
export function createChainMetrics(
  chain: Chain,
  view: ChainView,
  metrics: Metrics,
): () => Promise<MetricsData> {
  for (const gauges of [HEAD_GAUGES, MARKED_GAUGES]) gauges.readFrom({ chain, view }, metrics)
  // Other chains sum the difficulty over all blocks, which would take too long here.
  if (hasBftDifficulty(view.genesis)) {
    metrics.gaugeOf(DIFFICULTY, () => Number(view.totalDifficulty(chain.head)))
  }
  const stateRootTime = metrics.summary(STATE_ROOT_TIME)
  chain.timings.onMeasured = (step, ms) => {
    if (step === 'root') stateRootTime.observe(ms / SECOND_MS)
  }
  const countImport = importCounters(chain, metrics)
  return () => {
    countImport()
    return metrics.sample()
  }
}

/** Adds the increments since the last call. */
function importCounters(chain: Chain, metrics: Metrics): () => void {
  const { imported, timings } = chain
  const built = metrics.counter(BUILT_BLOCKS)
  const importTime = metrics.counter(IMPORT_TIME)
  const gas = metrics.counter(IMPORTED_GAS)
  const transactions = metrics.counter(IMPORTED_TRANSACTIONS)
  const countedMs = new Map<ImportStep, number>()
  let counted = { gasUsed: 0n, transactions: 0, built: 0 }
  return () => {
    for (const step of IMPORT_STEPS) {
      const totalMs = timings.totalMs(step)
      importTime.add((totalMs - (countedMs.get(step) ?? 0)) / SECOND_MS, { step })
      countedMs.set(step, totalMs)
    }
    gas.add(Number(imported.gasUsed - counted.gasUsed))
    transactions.add(imported.transactions - counted.transactions)
    built.add(chain.built - counted.built)
    counted = { gasUsed: imported.gasUsed, transactions: imported.transactions, built: chain.built }
  }
}

/** Reads the store only after a start or a rewind. */
function headTransactions({ chain: { head, imported }, view: { lookup } }: ReadChain): number {
  return imported.transactionsOf(head.hash) ?? lookup.block(head.hash)?.block.transactions.length ?? 0
}

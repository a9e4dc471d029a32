import { secondsOf } from '#chain/execute/execute.ts'
import { IMPORT_STEPS, type ImportStep } from '#chain/execute/timings.ts'
import type { CounterRow, GaugeRow, Metrics, SummaryRow } from '#platform/metrics/metrics.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
import type { ChainView } from './read/chain-view.ts'
import { hasBftDifficulty } from './read/total-difficulty.ts'
import type { Chain } from './write/create-chain.ts'

export const HEAD_TIMESTAMP: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'chain_head_timestamp',
  help: 'Timestamp of the last block of the chain, in seconds since 1970',
  besu: 'same',
}

export const HEAD_GAS_USED: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'chain_head_gas_used',
  help: 'Gas used by the last block of the chain',
  besu: 'same',
}

export const HEAD_GAS_LIMIT: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'chain_head_gas_limit',
  help: 'Gas limit of the last block of the chain',
  besu: 'same',
}

export const HEAD_TRANSACTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'chain_head_transactions',
  help: 'Number of transactions in the last block of the chain',
  besu: { name: 'chain_head_transaction_count' },
}

export const DIFFICULTY: GaugeRow = {
  kind: 'gauge',
  category: 'blockchain',
  name: 'difficulty',
  help: 'Total difficulty at the last block of the chain, on networks with validators',
  besu: { name: 'difficulty', formerName: 'difficulty_total' },
}

export const SAFE_BLOCK: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'blockchain_safe_block',
  help: 'Number of the safe block; the last one on networks with validators, 0 where nobody named one',
  besu: 'same',
}

export const FINALIZED_BLOCK: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'blockchain_finalized_block',
  help: 'Number of the finalized block; the last one on networks with validators, 0 where nobody named one',
  besu: 'same',
}

export const IMPORTED_GAS: CounterRow = {
  kind: 'counter',
  category: 'blockchain',
  name: 'gas_used',
  help: 'Gas used by the blocks that came into the chain since the start',
  besu: { name: 'chain_head_gas_used_counter' },
}

export const IMPORTED_TRANSACTIONS: CounterRow = {
  kind: 'counter',
  category: 'blockchain',
  name: 'transactions',
  help: 'Number of transactions in the blocks that came into the chain since the start',
  besu: { name: 'chain_head_transaction_count_counter' },
}

export const STATE_ROOT_TIME: SummaryRow = {
  kind: 'summary',
  category: 'block_processing',
  name: 'state_root_calculation_duration_seconds',
  help: 'Time that the state root of a block took, in seconds',
  besu: 'same',
}

export const IMPORT_TIME: CounterRow<'step'> = {
  kind: 'counter',
  category: 'blockchain',
  name: 'import_step_seconds',
  help: 'Time that validating, building and importing blocks took, by step, in seconds',
  labels: ['step'],
}

const SECOND_MS = 1_000

/** The metrics of the writer thread; what is returned takes a snapshot of them. */
export function createChainMetrics(
  chain: Chain,
  view: ChainView,
  metrics: Metrics,
): () => Promise<MetricsSnapshot> {
  metrics.gaugeOf(HEAD_TIMESTAMP, () => secondsOf(chain.head.header))
  metrics.gaugeOf(HEAD_GAS_USED, () => Number(chain.head.header.gasUsed))
  metrics.gaugeOf(HEAD_GAS_LIMIT, () => Number(chain.head.header.gasLimit))
  metrics.gaugeOf(HEAD_TRANSACTIONS, () => headTransactions(chain, view))
  metrics.gaugeOf(SAFE_BLOCK, () => Number(view.safe()?.header.number ?? 0n))
  metrics.gaugeOf(FINALIZED_BLOCK, () => Number(view.finalized()?.header.number ?? 0n))
  // Elsewhere it is the sum of all blocks, and this thread has no time for that.
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
    return metrics.snapshot()
  }
}

/** Adds what came since the last time. */
function importCounters({ imported, timings }: Chain, metrics: Metrics): () => void {
  const importTime = metrics.counter(IMPORT_TIME)
  const gas = metrics.counter(IMPORTED_GAS)
  const transactions = metrics.counter(IMPORTED_TRANSACTIONS)
  const countedMs = new Map<ImportStep, number>()
  let counted = { gasUsed: 0n, transactions: 0 }
  return () => {
    for (const step of IMPORT_STEPS) {
      const totalMs = timings.totalMs(step)
      importTime.add((totalMs - (countedMs.get(step) ?? 0)) / SECOND_MS, { step })
      countedMs.set(step, totalMs)
    }
    gas.add(Number(imported.gasUsed - counted.gasUsed))
    transactions.add(imported.transactions - counted.transactions)
    counted = { gasUsed: imported.gasUsed, transactions: imported.transactions }
  }
}

/** Read from the store after a start and after a way back only. */
function headTransactions({ head, imported }: Chain, { lookup }: ChainView): number {
  return imported.transactionsOf(head.hash) ?? lookup.block(head.hash)?.block.transactions.length ?? 0
}

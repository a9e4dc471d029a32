import { type CounterRow, createMetrics, type GaugeRow } from '#platform/metrics/metrics.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
import type { Chain } from './write/create-chain.ts'
import { secondsOf } from './write/execute.ts'
import { IMPORT_STEPS, type ImportStep } from './write/timings.ts'

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

export const IMPORT_TIME: CounterRow<'step'> = {
  kind: 'counter',
  category: 'blockchain',
  name: 'import_step_seconds',
  help: 'Time that validating, building and importing blocks took, by step, in seconds',
  labels: ['step'],
}

const SECOND_MS = 1_000

/** The metrics of the writer thread; what is returned takes a snapshot of them. */
export function createChainMetrics(chain: Chain, prefix: string): () => Promise<MetricsSnapshot> {
  const metrics = createMetrics({ prefix, onSourceError: () => undefined })
  metrics.gaugeOf(HEAD_TIMESTAMP, () => secondsOf(chain.head.header))
  metrics.gaugeOf(HEAD_GAS_USED, () => Number(chain.head.header.gasUsed))
  metrics.gaugeOf(HEAD_GAS_LIMIT, () => Number(chain.head.header.gasLimit))
  const importTime = metrics.counter(IMPORT_TIME)
  const countedMs = new Map<ImportStep, number>()
  return () => {
    for (const step of IMPORT_STEPS) {
      const totalMs = chain.timings.totalMs(step)
      importTime.add((totalMs - (countedMs.get(step) ?? 0)) / SECOND_MS, { step })
      countedMs.set(step, totalMs)
    }
    return metrics.snapshot()
  }
}

/** Every metric that Cairn declares, as an exported row or a row of exported gauges. */
import { join } from 'node:path'
import type { CheckRows } from '#platform/metrics/check-counter.ts'
import { Gauges, type MetricRow } from '#platform/metrics/metrics.ts'
import { isTest, readSources } from '../../test/meta/tidy/source.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DECLARATION =
  /^(export )?const (\w+)(?:: (?:Counter|Gauge|Summary|Histogram)Row\b|: CheckRows\b| = new Gauges<)/gm

export const METRIC_ROWS: readonly MetricRow[] = await findRows()

async function findRows(): Promise<readonly MetricRow[]> {
  const found: MetricRow[] = []
  for (const { path, text } of readSources(ROOT, 'src').filter((file) => !isTest(file.path))) {
    const declared = [...text.matchAll(DECLARATION)]
    if (declared.length === 0) continue
    const values = await import(join(ROOT, path))
    for (const [, isExported, name] of declared) {
      if (isExported === undefined)
        throw new Error(`${path}: export ${name}, so the documentation includes it.`)
      const value: MetricRow | CheckRows | Gauges<never> = values[name!]
      if (value instanceof Gauges) found.push(...value.rows)
      else found.push(...('permitted' in value ? Object.values(value) : [value]))
    }
  }
  return found.sort((one, other) => one.category.localeCompare(other.category))
}

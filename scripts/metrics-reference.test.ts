import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { METRIC_CATEGORIES } from '#node/metrics-options.ts'
import { readSources } from '../test/tidy/source.ts'
import { DASHBOARDS, NOT_SHOWN } from './watching/grafana.ts'
import { METRIC_ROWS } from './watching/metric-rows.ts'
import { nameOf } from './watching/panel.ts'

const root = join(import.meta.dirname, '..')
const DECLARATION = /^(?:export )?const (\w+): (?:Counter|Gauge|Summary|Histogram)Row\b/gm

test('the category of every metric can be named by --metrics-category', () => {
  const known: ReadonlySet<string> = new Set(METRIC_CATEGORIES)
  assert.deepEqual(
    METRIC_ROWS.filter(({ category }) => !known.has(category)),
    [],
  )
})

test('every row that is declared in src is in the list of metrics', () => {
  const declared = readSources(root, 'src')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(DECLARATION)].map(([, name]) => name!))
  assert.ok(declared.length > 50)
  const list = readFileSync(join(import.meta.dirname, 'watching', 'metric-rows.ts'), 'utf8')
  const listed = [...list.slice(list.indexOf('METRIC_ROWS')).matchAll(/^ {2}(\w+),$/gm)].map(
    ([, name]) => name!,
  )
  assert.deepEqual(declared.toSorted(), listed.toSorted())
})

test('every metric is in a dashboard, or it is said why not', () => {
  const targets = DASHBOARDS.flatMap(({ sections }) => sections).flatMap(({ panels }) => panels)
  const shown = new Set(
    targets.flatMap((panel) => panel.targets).flatMap(({ expr }) => expr.match(/[a-z]\w+/g) ?? []),
  )
  const isShown = (name: string) => ['', '_count', '_sum'].some((part) => shown.has(`${name}${part}`))
  const missing = METRIC_ROWS.filter((row) => !isShown(nameOf(row)) && !NOT_SHOWN.has(row))
  assert.deepEqual(missing.map(nameOf), [])
  assert.deepEqual([...NOT_SHOWN.keys()].map(nameOf).filter(isShown), [])
})

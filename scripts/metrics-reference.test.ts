import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METRIC_CATEGORIES } from '#serve/metrics-options.ts'
import { DASHBOARDS, isShown, NOT_SHOWN, namesIn } from './watching/grafana.ts'
import { METRIC_ROWS } from './watching/metric-rows.ts'
import { nameOf } from './watching/panel.ts'

test('--metrics-category accepts the category of every metric', () => {
  const known: ReadonlySet<string> = new Set(METRIC_CATEGORIES)
  assert.deepEqual(
    METRIC_ROWS.filter(({ category }) => !known.has(category)),
    [],
  )
})

test('the metrics that src declares are found', () => {
  assert.ok(METRIC_ROWS.length > 50)
  assert.equal(new Set(METRIC_ROWS.map(nameOf)).size, METRIC_ROWS.length)
})

test('every metric is in a dashboard or has a reason why not', () => {
  const shown = namesIn(DASHBOARDS)
  const missing = METRIC_ROWS.filter((row) => !isShown(row, shown) && !NOT_SHOWN.has(row))
  assert.deepEqual(missing.map(nameOf), [])
  assert.deepEqual([...NOT_SHOWN.keys()].filter((row) => isShown(row, shown)).map(nameOf), [])
})

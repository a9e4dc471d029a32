import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METRIC_CATEGORIES } from '#node/metrics-options.ts'
import { METRIC_ROWS } from './metrics-reference.ts'

test('the category of every metric can be named by --metrics-category', () => {
  const known: ReadonlySet<string> = new Set(METRIC_CATEGORIES)
  assert.deepEqual(
    METRIC_ROWS.filter(({ category }) => !known.has(category)),
    [],
  )
})

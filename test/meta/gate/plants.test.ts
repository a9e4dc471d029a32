import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { ALL_PLANTS } from '../plants/all-plants.ts'

/** The gate runs a sample, so it would not notice missing plants. */
const FEWEST = 460

test('every plant finds its text exactly once, so no plant is stale', () => {
  const stale = Object.entries(ALL_PLANTS).filter(([, { file, from }]) => {
    return readFileSync(join(CHECKOUT, file), 'utf8').split(from).length !== 2
  })
  assert.deepEqual(
    stale.map(([name]) => name),
    [],
  )
})

test('no plant is lost', () => {
  assert.ok(Object.keys(ALL_PLANTS).length >= FEWEST, `${Object.keys(ALL_PLANTS).length} plants`)
})

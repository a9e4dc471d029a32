import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_PLANTS } from '../plants/all-plants.ts'
import { drawPlants } from '../plants/draw-plants.ts'

const SAMPLE = 6
const COMMITS = 2_000

test('every plant can be drawn by the gate, and none twice in one run', () => {
  const plants = Object.entries(ALL_PLANTS)
  const seen = new Set<string>()
  for (let seed = 0; seed < COMMITS; seed++) {
    const drawn = drawPlants(plants, SAMPLE, seed).map(([name]) => name)
    assert.equal(new Set(drawn).size, SAMPLE)
    for (const name of drawn) seen.add(name)
  }
  assert.deepEqual(
    plants.map(([name]) => name).filter((name) => !seen.has(name)),
    [],
  )
})

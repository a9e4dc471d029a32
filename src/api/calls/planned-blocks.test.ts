import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockOverrides } from '#api/schema/simulation.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { planBlocks } from './planned-blocks.ts'

const HEAD = { number: 10n, timestamp: 1000n } as BlockHeader

function plan(...blocks: readonly BlockOverrides[]) {
  const planned = planBlocks(
    blocks.map((block) => ({ block, state: undefined, calls: [] })),
    HEAD,
  )
  return planned.map(({ block }) => [block.number, block.time])
}

test('blocks follow the head and each other, twelve seconds apart', () => {
  assert.deepEqual(plan({}, {}), [
    [11n, 1012n],
    [12n, 1024n],
  ])
})

test('a gap between numbers is filled with blocks', () => {
  assert.deepEqual(plan({ number: 13n, time: 2000n }, {}), [
    [11n, 1012n],
    [12n, 1024n],
    [13n, 2000n],
    [14n, 2012n],
  ])
})

test('numbers and times that do not rise are refused', () => {
  assert.throws(() => plan({ number: 12n }, { number: 12n }), { kind: 'SIMULATION_NUMBERS_NOT_ASCENDING' })
  assert.throws(() => plan({ number: 10n }), { kind: 'SIMULATION_NUMBERS_NOT_ASCENDING' })
  assert.throws(() => plan({ time: 2000n }, { time: 2000n }), { kind: 'SIMULATION_TIMES_NOT_ASCENDING' })
  assert.throws(() => plan({ time: 1000n }), { kind: 'SIMULATION_TIMES_NOT_ASCENDING' })
  // The blocks that fill the gap take their time too.
  assert.throws(() => plan({ number: 13n, time: 1020n }), { kind: 'SIMULATION_TIMES_NOT_ASCENDING' })
})

test('more than 256 blocks are refused before any is made, by their number or by a gap', () => {
  assert.throws(() => plan(...Array.from({ length: 257 }, () => ({}))), {
    kind: 'SIMULATION_TOO_MANY_BLOCKS',
  })
  assert.throws(() => plan({ number: 2n ** 62n }), { kind: 'SIMULATION_TOO_MANY_BLOCKS' })
  assert.throws(() => plan({ number: 266n }, {}), { kind: 'SIMULATION_TOO_MANY_BLOCKS' })
  assert.equal(plan({ number: 266n }).length, 256)
})

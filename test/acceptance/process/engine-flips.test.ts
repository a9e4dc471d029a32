/*
 * A consensus client flips between two branches: memory stays flat, and a kill loses no block. `CAIRN_FLIPS` sets their
 * number; `npm run nightly -- flips` makes 10,000.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryOf } from '../../support/memory-of.ts'
import { EngineWorld } from './engine-cases/engine-world.ts'

const FLIPS = Number(process.env.CAIRN_FLIPS ?? 20)
const BRANCH_BLOCKS = 32
/** The heap reaches its working size in this part of the flips. */
const WARM_PART = 0.25
const MAX_GROWTH_MB = 64

test(`${FLIPS} flips between two branches of ${BRANCH_BLOCKS} blocks keep memory flat and survive kill -9`, async (t) => {
  const world = await EngineWorld.start(t)
  const tips = (await world.branches(await world.hashOf('0x0'), BRANCH_BLOCKS)).map(
    (branch) => branch.at(-1)!,
  )
  const flip = async (index: number): Promise<void> => {
    const tip = tips[index % 2]!
    assert.equal(world.words(await world.choose(tip)), 'VALID')
    assert.equal(await world.hashOf('latest'), tip)
  }
  let warmMb = 0
  for (let index = 0; index < FLIPS; index++) {
    if (index === Math.floor(FLIPS * WARM_PART)) warmMb = memoryOf([world.pid]).rssMb
    await flip(index)
  }
  const endMb = memoryOf([world.pid]).rssMb
  t.diagnostic(`${FLIPS} flips: ${Math.round(warmMb)} MB after a quarter, ${Math.round(endMb)} MB at the end`)
  assert.ok(endMb - warmMb < MAX_GROWTH_MB, `memory grew from ${warmMb} to ${endMb} MB`)
  // The choice may or may not be on disk; both branches are.
  const pending = world.choose(tips[FLIPS % 2]!).catch(() => undefined)
  await world.restart()
  await pending
  assert.ok(tips.includes(await world.hashOf('latest')))
  for (const index of [0, 1]) await flip(index)
})

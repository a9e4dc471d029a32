/*
 * A node keeps a long side chain on disk: memory grows little, and the side chain can become canonical. `CAIRN_SIDE_BLOCKS`
 * sets its length; `npm run nightly -- side-chain` makes it 1,000 blocks long.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryOf } from '../../support/memory-of.ts'
import { EngineWorld, type Offer } from './engine-cases/engine-world.ts'

const BLOCKS = Number(process.env.CAIRN_SIDE_BLOCKS ?? 40)
/** After all forks. */
const FROM_SECONDS = 60
/** The heap reaches its working size in this part of the blocks. */
const WARM_PART = 0.25
const MAX_GROWTH_MB = 64

test(`a side chain of ${BLOCKS} blocks costs little memory and becomes canonical`, async (t) => {
  const builder = await EngineWorld.start(t)
  const side: Offer[] = []
  let tip = await builder.hashOf('0x0')
  for (let index = 0; index < BLOCKS; index++) {
    await builder.sendTransfer()
    const offer = await builder.build(tip, FROM_SECONDS + 1 + index)
    assert.equal(offer.payload.transactions.length, 1)
    assert.equal(builder.words(await builder.offer(offer)), 'VALID')
    tip = offer.payload.blockHash
    side.push(offer)
  }
  const world = await EngineWorld.start(t)
  const own = await world.build(await world.hashOf('0x0'), FROM_SECONDS)
  await world.offer(own)
  await world.choose(own.payload.blockHash)
  let warmMb = 0
  for (const [index, offer] of side.entries()) {
    if (index === Math.floor(BLOCKS * WARM_PART)) warmMb = memoryOf([world.pid]).rssMb
    assert.equal(world.words(await world.offer(offer)), 'ACCEPTED')
  }
  const endMb = memoryOf([world.pid]).rssMb
  t.diagnostic(
    `${BLOCKS} blocks: ${Math.round(warmMb)} MB after a quarter, ${Math.round(endMb)} MB at the end`,
  )
  assert.ok(endMb - warmMb < MAX_GROWTH_MB, `memory grew from ${warmMb} to ${endMb} MB`)
  assert.equal(await world.hashOf('latest'), own.payload.blockHash)
  await world.restart()
  assert.equal(world.words(await world.choose(tip)), 'VALID')
  assert.equal(await world.hashOf('latest'), tip)
})

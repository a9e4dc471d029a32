import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { type Ancestor, refuseOmmers } from './validate-ommers.ts'

const hash = (name: string): Hash => `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}` as Hash
const headerOf = (number: bigint, parent: string, name: string): BlockHeader =>
  ({ number, parentHash: hash(parent), extraData: Buffer.from(name) }) as unknown as BlockHeader

/** Blocks a0 to a9 in a row; the tested block follows a9. */
const ancestors: Ancestor[] = Array.from({ length: 10 }, (_, at) => 9 - at).map((number) => ({
  hash: hash(`a${number}`),
  header: headerOf(BigInt(number), `a${number - 1}`, `a${number}`),
  ommers: number === 9 ? [hash('named')] : [],
}))

const refuse = (ommers: readonly BlockHeader[], problem?: string) =>
  refuseOmmers(ommers, {
    hashBlock: ({ extraData }) => hash(Buffer.from(extraData).toString()),
    ancestors: () => ancestors,
    refuse: async () => problem,
  })

test('an ommer is a child of one of the six blocks above the parent', async () => {
  assert.equal(await refuse([headerOf(9n, 'a8', 'x')]), undefined)
  assert.equal(await refuse([headerOf(4n, 'a3', 'x'), headerOf(5n, 'a4', 'y')]), undefined)
  assert.match((await refuse([headerOf(3n, 'a2', 'x')])) ?? '', /not among the last 6/)
  assert.match((await refuse([headerOf(10n, 'a9', 'x')])) ?? '', /not among the last 6/)
})

test('an ommer is named once, is not an ancestor and obeys the header rules', async () => {
  const ommer = headerOf(9n, 'a8', 'x')
  assert.match((await refuse([ommer, ommer])) ?? '', /named before/)
  assert.match((await refuse([headerOf(9n, 'a8', 'named')])) ?? '', /named before/)
  assert.match((await refuse([headerOf(9n, 'a8', 'a9')])) ?? '', /is an ancestor/)
  assert.match((await refuse([ommer], 'Its time is wrong.')) ?? '', /is invalid\. Its time is wrong\./)
})

test('a block names at most two ommers', async () => {
  const three = ['x', 'y', 'z'].map((name) => headerOf(9n, 'a8', name))
  assert.match((await refuse(three)) ?? '', /more than 2/)
})

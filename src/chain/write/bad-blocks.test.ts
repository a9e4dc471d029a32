import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalidBlock, type ReceivedBlock } from '#chain/block/stages.ts'
import { call, makeBlocks, openTestChain } from '#chain/chain.fixture.ts'
import { parseHash } from '#types/hash.ts'
import { BadBlocks } from './bad-blocks.ts'

const chain = await openTestChain()
const [first, second] = await makeBlocks([call(0)], [call(1)])
const WRONG = parseHash('99'.repeat(32))
const REFUSED = invalidBlock('WRONG_STATE_ROOT', 'It gives another state.')

/** The same block with another state root, and therefore another hash. */
function withRoot(encoded: Uint8Array, stateRoot: typeof WRONG): ReceivedBlock {
  const received = chain.receive(encoded)
  const { block } = received
  return { ...received, block: { ...block, header: { ...block.header, stateRoot } } }
}

test('a chain keeps invalid blocks, whether imported singly or in bulk', async () => {
  const own = await openTestChain()
  const orphan = own.receive(second!)
  assert.equal((await own.importBlock(orphan)).ok, false)
  assert.deepEqual(own.badBlocks.all(), [])
  const bad = withRoot(first!, WRONG)
  assert.equal((await own.importBlock(bad)).ok, false)
  const other = { ...withRoot(first!, parseHash('88'.repeat(32))), hash: WRONG }
  assert.equal((await own.importMany([other])).ok, false)
  assert.deepEqual(
    own.badBlocks.all().map(({ hash }) => hash),
    [bad.hash, WRONG],
  )
  // A refused proposal concerns only its proposer.
  assert.equal((await own.validate({ ...bad, hash: parseHash('77'.repeat(32)) })).ok, false)
  assert.equal(own.badBlocks.all().length, 2)
})

test('only the last blocks are kept, each once', () => {
  const bad = new BadBlocks()
  const received = chain.receive(first!)
  const hashOf = (index: number) => parseHash(index.toString(16).padStart(64, '0'))
  for (let index = 0; index < 150; index++) bad.note({ ...received, hash: hashOf(index) }, REFUSED)
  bad.note({ ...received, hash: hashOf(149) }, REFUSED)
  const kept = bad.all()
  assert.equal(kept.length, 100)
  assert.deepEqual([kept[0]!.hash, kept.at(-1)!.hash], [hashOf(50), hashOf(149)])
})

test('large blocks leave room for fewer', () => {
  const bad = new BadBlocks()
  const received = chain.receive(first!)
  const header = { ...received.block.header, extraData: new Uint8Array(10 * 1024 * 1024) }
  for (let index = 0; index < 6; index++) {
    const hash = parseHash(index.toString(16).padStart(64, '0'))
    bad.note({ ...received, hash, block: { ...received.block, header } }, REFUSED)
  }
  assert.equal(bad.all().length, 3)
})

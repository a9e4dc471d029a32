import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  call,
  extend,
  makeBlocks,
  offer,
  openTestChain,
  RICH,
  SOMEBODY,
  templateOf,
} from '#chain/chain.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { encodeBlock } from '#types/block/block.ts'
import { type Hash, hashFromBytes, ZERO_HASH } from '#types/hash.ts'
import type { Chain } from './create-chain.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Math.floor(Math.random() * 2 ** 31))
const OTHER_HASH = `0x${'99'.repeat(32)}` as Hash

const choice = (head: Hash, safe: Hash = ZERO_HASH, finalized: Hash = ZERO_HASH) => ({
  head,
  safe,
  finalized,
})

async function offerAll(chain: Chain, blocks: readonly Uint8Array[]): Promise<readonly Hash[]> {
  const hashes: Hash[] = []
  for (const block of blocks) {
    const verdict = await chain.offer(chain.receive(block))
    assert.ok(verdict.ok, 'sentence' in verdict ? verdict.sentence : '')
    hashes.push(verdict.hash)
  }
  return hashes
}

/** Two branches from block 0. */
async function twoBranches(): Promise<readonly [Uint8Array[], Uint8Array[]]> {
  const other = await openTestChain()
  const b = [await extend(other, []), await extend(other, [call(0), call(1)]), await extend(other, [call(2)])]
  return [await makeBlocks([call(0)], [call(1)]), b]
}

test('an offered block is executed and stored, and becomes the head when it is chosen', async () => {
  const kv = createMemoryKv()
  const chain = await openTestChain({}, kv)
  const blocks = await makeBlocks([call(0)], [call(1)])
  const genesis = chain.head.hash
  const [first, second] = await offerAll(chain, blocks)
  assert.equal(chain.head.hash, genesis)
  const before = chain.timings.totalMs('execution')
  assert.equal((await chain.choose(choice(second!))).ok, true)
  assert.equal(chain.head.hash, second)
  assert.equal(chain.timings.totalMs('execution'), before, 'nothing is executed twice')
  assert.deepEqual(await chain.offer(chain.receive(blocks[0]!)), { ok: true, status: 'valid', hash: first })
})

test('an offered block survives a crash before it is chosen', async () => {
  const kv = createMemoryKv()
  const chain = await openTestChain({}, kv)
  const hashes = await offerAll(chain, await makeBlocks([call(0)], [call(1)]))
  const restarted = await openTestChain({}, kv.crash())
  assert.equal((await restarted.choose(choice(hashes[1]!))).ok, true)
  assert.equal(restarted.head.hash, hashes[1])
})

test('blocks of another branch are stored unexecuted, and choosing one moves the chain there', async () => {
  const chain = await openTestChain()
  const [a, b] = await twoBranches()
  const aHashes = await offerAll(chain, a)
  await chain.choose(choice(aHashes[1]!))
  const verdict = await chain.offer(chain.receive(b[0]!))
  assert.equal(verdict.ok && verdict.status, 'stored')
  const bHashes = await offerAll(chain, b)
  assert.equal((await chain.choose(choice(bHashes[2]!, bHashes[1]!, bHashes[0]!))).ok, true)
  assert.equal(chain.head.hash, bHashes[2])
  assert.equal(hashFromBytes(chain.store.safe()!.hash), bHashes[1])
  assert.equal(hashFromBytes(chain.store.finalized()!.hash), bHashes[0])
})

test('a block with an unknown parent is not stored, and an unknown head is not chosen', async () => {
  const chain = await openTestChain()
  const [, second] = await makeBlocks([call(0)], [call(1)])
  const received = chain.receive(second!)
  const verdict = await chain.offer(received)
  assert.equal(!verdict.ok && verdict.reason, 'UNKNOWN_PARENT')
  assert.deepEqual(await chain.choose(choice(received.hash)), { ok: false, reason: 'UNKNOWN' })
})

test('a block that was built and never offered is unknown to a choice, and so are its children', async () => {
  const chain = await openTestChain()
  const built = await chain.build(templateOf(chain), offer([call(0)]))
  assert.deepEqual(await chain.choose(choice(built.executed.hash)), { ok: false, reason: 'UNKNOWN' })
  const [, second] = await makeBlocks([call(0)], [call(1)])
  const verdict = await chain.offer(chain.receive(second!))
  assert.equal(!verdict.ok && verdict.reason, 'UNKNOWN_PARENT')
  await offerAll(chain, [built.encoded, second!])
  assert.equal((await chain.choose(choice(chain.receive(second!).hash))).ok, true)
})

test('safe and finalized blocks must be ancestors of the chosen block, or nothing changes', async () => {
  const chain = await openTestChain()
  const [a, b] = await twoBranches()
  const [a1, a2] = await offerAll(chain, a)
  await chain.choose(choice(a1!, a1!, a1!))
  const [b1] = await offerAll(chain, b)
  for (const wrong of [b1!, OTHER_HASH, a2!]) {
    const head = wrong === a2 ? a1! : a2!
    const expected = { ok: false, reason: 'INCONSISTENT' }
    assert.deepEqual(await chain.choose(choice(head, wrong)), expected)
    assert.deepEqual(await chain.choose(choice(head, ZERO_HASH, wrong)), expected)
  }
  assert.equal(chain.head.hash, a1)
  assert.equal(hashFromBytes(chain.store.safe()!.hash), a1)
})

test('an ancestor of the head is acknowledged, and the head stays', async () => {
  const chain = await openTestChain()
  const [first, second] = await offerAll(chain, await makeBlocks([call(0)], [call(1)]))
  await chain.choose(choice(second!))
  const verdict = await chain.choose(choice(first!))
  assert.equal(verdict.ok && verdict.isOld, true)
  assert.equal(chain.head.hash, second)
})

test('a branch with an invalid block is refused with its last valid block, and the head stays', async () => {
  const chain = await openTestChain()
  const [a, b] = await twoBranches()
  const [a1, a2] = await offerAll(chain, a)
  await chain.choose(choice(a2!, a2!, a1!))
  const [b1] = await offerAll(chain, b.slice(0, 1))
  const { block } = chain.receive(b[1]!)
  const wrong = chain.receive(encodeBlock({ ...block, header: { ...block.header, stateRoot: OTHER_HASH } }))
  assert.equal((await chain.offer(wrong)).ok, true, 'only execution shows what is wrong')
  const verdict = await chain.choose(choice(wrong.hash))
  assert.equal(!verdict.ok && verdict.reason === 'INVALID' && verdict.lastValid, b1)
  assert.equal(chain.head.hash, a2)
  assert.equal(hashFromBytes(chain.store.safe()!.hash), a2)
  assert.equal(hashFromBytes(chain.store.finalized()!.hash), a1)
  assert.equal(hashFromBytes(chain.store.headState().root), chain.head.header.stateRoot)
})

test('more offered blocks than are kept executed are executed when they are chosen', async () => {
  const chain = await openTestChain()
  const lists = Array.from({ length: 20 }, (_, nonce) => [call(nonce)])
  const blocks = await makeBlocks(...lists)
  const hashes = await offerAll(chain, blocks)
  assert.equal((await chain.choose(choice(hashes[19]!, hashes[10]!, hashes[5]!))).ok, true)
  const paid = chain.store.headState().account(Buffer.from(SOMEBODY.slice(2), 'hex'))
  assert.equal(paid?.balance, 100n)
})

test('the fork point of a reorg must have a state that is kept', async () => {
  const chain = await openTestChain()
  const [a, b] = await twoBranches()
  const [, a2] = await offerAll(chain, a)
  await chain.choose(choice(a2!))
  const hashes = await offerAll(chain, b)
  chain.store.lowestState = () => 1
  const sentence = 'States before block 1 are pruned; --bonsai-historical-block-limit keeps more.'
  assert.deepEqual(await chain.choose(choice(hashes[2]!)), { ok: false, reason: 'TOO_DEEP', sentence })
  assert.equal(chain.head.hash, a2)
})

test('random offers, choices, builds and crashes always end at the chosen state', async (t) => {
  const random = createSeededRandom(SEED)
  t.diagnostic(`seed ${SEED}; CAIRN_SEED repeats it`)
  const tree = await makeTree(24, (below) => random.randomBelow(below))
  let disk = createMemoryKv()
  let chain = await openTestChain({}, disk)
  const offered = new Set<Hash>([chain.head.hash])
  for (let step = 0; step < 150; step++) {
    const received = chain.receive(tree[random.randomBelow(tree.length)]!)
    const { hash, block } = received
    const action = random.randomBelow(8)
    if (action === 0) {
      disk = disk.crash()
      chain = await openTestChain({}, disk)
    } else if (action === 1) {
      await chain.build(templateOf(chain), offer([]))
    } else if (action <= 3) {
      const verdict = await chain.choose(choice(hash))
      assert.equal(verdict.ok, offered.has(hash))
      if (verdict.ok && !verdict.isOld) assert.equal(chain.head.hash, hash)
    } else {
      const verdict = await chain.offer(received)
      assert.equal(verdict.ok, offered.has(block.header.parentHash))
      if (verdict.ok) offered.add(hash)
    }
    assert.equal(hashFromBytes(chain.store.headState().root), chain.head.header.stateRoot)
  }
})

/** Blocks on random parents. */
async function makeTree(size: number, below: (limit: number) => number): Promise<readonly Uint8Array[]> {
  const paths: (readonly Uint8Array[])[] = [[]]
  while (paths.length <= size) {
    const path = paths[below(paths.length)]!
    const maker = await openTestChain()
    for (const block of path) await maker.importBlock(maker.receive(block))
    const { nonce } = maker.store.headState().account(Buffer.from(RICH.slice(2), 'hex'))!
    const block = await extend(maker, below(3) === 0 ? [] : [call(Number(nonce))])
    paths.push([...path, block])
  }
  return paths.slice(1).map((path) => path.at(-1)!)
}

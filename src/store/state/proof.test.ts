import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import {
  blockOf,
  copyState,
  followingBlock,
  type ModelState,
  openTestStore,
  RandomBlocks,
  transactionHashesOf,
  WideChanges,
} from '#store/ledger.fixture.ts'
import { META } from '#store/meta.ts'
import type { StoreOptions } from '#store/open-store.ts'
import type { NewBlock } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { bytesToBigint, equalBytes } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { bytesFromRlp, decodeRlp, listFromRlp, type RlpItem, scalarFromRlp } from '#types/rlp.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)

/** The value that a proof proves to a light client; undefined if it proves absence. */
function verify(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]): Uint8Array | undefined {
  const nibbles = [...formatDigits(keccak256(key))].map((digit) => Number.parseInt(digit, 16))
  if (nodes.length === 0) return undefined
  const left = [...nodes]
  let expected: RlpItem = root
  for (;;) {
    let node: readonly RlpItem[]
    if (expected instanceof Uint8Array) {
      if (expected.length === 0) return undefined
      const rlp = left.shift()
      assert.ok(
        rlp !== undefined && equalBytes(keccak256(rlp), expected),
        'The proof is complete and hashes match.',
      )
      node = listFromRlp(decodeRlp(rlp))
    } else node = expected
    if (node.length === 17) {
      expected = node[nibbles.shift()!]!
      continue
    }
    const path = formatDigits(bytesFromRlp(node[0]!))
    const own = [...path.slice(Number(`0x${path[0]}`) % 2 === 1 ? 1 : 2)].map((digit) =>
      Number.parseInt(digit, 16),
    )
    const isSame = own.every((nibble, index) => nibbles[index] === nibble)
    const isLeaf = Number(`0x${path[0]}`) >= 2
    if (!isSame) return undefined
    nibbles.splice(0, own.length)
    if (isLeaf) {
      assert.equal(left.length, 0)
      return bytesFromRlp(node[1]!)
    }
    expected = node[1]!
  }
}

function requireProof(
  store: Store,
  number: number,
  root: Uint8Array,
  state: ModelState,
  blocks: RandomBlocks,
): void {
  const address = blocks.addresses[number % blocks.addresses.length]!
  const proof = store.proofAt(number, address, blocks.slots)
  const expected = state.get(formatDigits(address))
  const leaf = verify(root, address, proof.nodes)
  assert.equal(leaf === undefined, expected === undefined, `account at ${number}`)
  assert.equal(proof.account?.balance, expected?.balance)
  if (leaf === undefined || expected === undefined) return
  const [nonce, balance, storageRoot] = listFromRlp(decodeRlp(leaf))
  assert.equal(scalarFromRlp(nonce!), expected.nonce)
  assert.equal(scalarFromRlp(balance!), expected.balance)
  for (const { slot, value, nodes } of proof.storage) {
    const found = verify(bytesFromRlp(storageRoot!), slot, nodes)
    const wanted: bigint = expected.storage.get(formatDigits(slot)) ?? 0n
    assert.equal(found === undefined ? 0n : scalarFromRlp(decodeRlp(found)), wanted, `slot at ${number}`)
    assert.equal(bytesToBigint(value ?? new Uint8Array(0)), wanted)
  }
}

async function build(
  kept: Kept,
  sizes: { addresses: number; slots: number; changes: number },
  count: number,
) {
  const random = createSeededRandom(seed)
  const blocks = new RandomBlocks(random, sizes)
  const kv = createMemoryKv()
  let store = await openTestStore(kv, kept)
  const states: ModelState[] = []
  const roots: Uint8Array[] = []
  const make = (parent: NewBlock['state']): NewBlock => {
    const state = copyState(states.at(-1) ?? new Map())
    const block = followingBlock(store, parent, states.length, blocks.next(state))
    states.push(state)
    roots.push(block.state.root)
    return block
  }
  while (states.length < count) {
    const batch = [make(store.headState())]
    // Sometimes several blocks share a batch, as in a chain import.
    while (batch.length < 4 && random.randomBelow(3) === 0) batch.push(make(batch.at(-1)!.state))
    await store.commitBlocks(batch)
    if (random.randomBelow(30) === 0) {
      const to = Math.max(0, states.length - 1 - random.randomBelow(9))
      await store.unwind(to, transactionHashesOf)
      states.length = to + 1
      roots.length = to + 1
    }
    // As after a crash: the tries on disk are behind.
    if (random.randomBelow(40) === 0) store = await openTestStore(kv, kept)
  }
  return { store, states, roots, blocks }
}

type Kept = Partial<Pick<StoreOptions, 'format' | 'anchorBlocks'>>

/** Packs the changed keys of all blocks before one, as if they were in segments. */
async function pack(store: Store, before: number): Promise<void> {
  const batch = store.kv.batch()
  META.moved.write(batch, { end: before, cleared: before, segmentBlocks: before })
  await batch.write({ sync: true })
  while (await store.packKeys({ pause: () => undefined, isStopped: () => false }));
}

const VARIANTS: readonly (readonly [name: string, kept: Kept])[] = [
  ['BONSAI', { format: 'BONSAI' }],
  ['FOREST', { format: 'FOREST' }],
  ['FOREST with an anchor every 7 blocks', { format: 'FOREST', anchorBlocks: 7 }],
  ['FOREST with an anchor per batch', { format: 'FOREST', anchorBlocks: 1 }],
]

for (const [name, kept] of VARIANTS) {
  test(`a proof of any kept block verifies against its root, in small tries (${name}, seed ${seed})`, async () => {
    const { store, states, roots, blocks } = await build(kept, { addresses: 12, slots: 12, changes: 5 }, 120)
    const requireAll = (): void => {
      for (const [number, state] of states.entries())
        requireProof(store, number, roots[number]!, state, blocks)
    }
    requireAll()
    for (const before of [50, 90]) {
      await pack(store, before)
      requireAll()
    }
  })

  test(`a proof of any kept block verifies against its root, in wide tries (${name}, seed ${seed})`, async () => {
    const random = createSeededRandom(seed)
    const wide = new WideChanges(random, 1000)
    const contract = wide.addresses[0]!
    const store = await openTestStore(createMemoryKv(), kept)
    const roots: Uint8Array[] = []
    while (roots.length < 70) {
      const block = blockOf(store, roots.length, roots.length === 0 ? wide.genesis() : wide.next())
      await store.commitBlocks([block])
      roots.push(block.state.root)
    }
    for (let number = 0; number < roots.length; number += 6) {
      const state = store.stateAt(number)
      const slots = Array.from({ length: 4 }, () => wide.slots[random.randomBelow(1000)]!)
      for (const address of [contract, wide.addresses[random.randomBelow(1000)]!, random.randomBytes(20)]) {
        const proof = store.proofAt(number, address, slots)
        const leaf = verify(roots[number]!, address, proof.nodes)
        assert.equal(leaf === undefined, state.account(address) === undefined)
        if (address !== contract) continue
        const storageRoot = bytesFromRlp(listFromRlp(decodeRlp(leaf!))[2]!)
        for (const { slot, nodes } of proof.storage) {
          const found = verify(storageRoot, slot, nodes)
          const value = found === undefined ? 0n : scalarFromRlp(decodeRlp(found))
          assert.equal(value, bytesToBigint(state.storage(address, slot) ?? new Uint8Array(0)))
        }
      }
    }
  })
}

test('a proof of a block above the head is refused', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, new Uint8Array(0))])
  assert.deepEqual(store.proofAt(0, new Uint8Array(20), []), { account: undefined, nodes: [], storage: [] })
  assert.throws(() => store.proofAt(1, new Uint8Array(20), []), { kind: 'STATE_UNAVAILABLE' })
})

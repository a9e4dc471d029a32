/**
 * A seeded sequence of store writes. The traced program performs it, and the power cut test derives the expected
 * content from it.
 */

import assert from 'node:assert/strict'
import type { Random } from '#platform/random.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import {
  blockOf,
  copyState,
  followingBlock,
  hashOf,
  type ModelState,
  RandomBlocks,
  testOptions,
  transactionHashesOf,
} from '#store/ledger.fixture.ts'
import { openStoreOn } from '#store/open-store.ts'
import type { BlockMark, NewBlock, StateReader, StorageFormat } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { type TrieEntry, trieRoot } from '#types/block/ordered-trie-root.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'

/** Small enough that the store switches logs and writes and merges tables every few blocks. */
const WRITE_BUFFER_BYTES = 64 * 1024
const CACHE_BYTES = 8 * 1024 * 1024
const SIZES = { addresses: 120, slots: 30, changes: 20 }
/** More blocks than BONSAI keeps states, so old states are removed meanwhile. */
const BLOCKS = 290
export const HISTORY_BLOCKS = 257

interface Planned {
  readonly number: number
  /** Distinguishes blocks with the same number. */
  readonly fork: string
  readonly changes: Uint8Array
  readonly state: ModelState
}

type Step =
  | { readonly kind: 'commit'; readonly block: Planned; readonly isTraced: boolean }
  | { readonly kind: 'trace'; readonly block: Planned }
  | { readonly kind: 'sibling' | 'marks'; readonly number: number }
  | { readonly kind: 'unwind'; readonly to: number }

/** The expected content after a step. */
interface Expected {
  readonly chain: readonly Planned[]
  readonly siblings: readonly number[]
  readonly marked: number | undefined
  readonly tracedFrom: number
}

const siblingHash = (number: number): Uint8Array => hashOf(`sibling ${number}`)

export class StoreScript {
  readonly steps: Step[] = []
  readonly #expected: Expected[] = []
  readonly #blocks: RandomBlocks

  constructor(random: Random) {
    this.#blocks = new RandomBlocks(random, SIZES)
    let now: Expected = { chain: [], siblings: [], marked: undefined, tracedFrom: 0 }
    const add = (step: Step, change: Partial<Expected>): void => {
      now = { ...now, ...change }
      this.steps.push(step)
      this.#expected.push(now)
    }
    for (let made = 0; made < BLOCKS; made++) {
      const number = now.chain.length
      const state = copyState(now.chain.at(-1)?.state ?? new Map())
      const fork = made === number ? '' : `-${made}`
      const block = { number, fork, changes: this.#blocks.next(state), state }
      const isTraced = random.randomBelow(10) > 0
      add(
        { kind: 'commit', block, isTraced },
        { chain: [...now.chain, block], ...(!isTraced && { tracedFrom: number + 1 }) },
      )
      if (!isTraced) add({ kind: 'trace', block }, { tracedFrom: number })
      const chance = random.randomBelow(40)
      if (chance < 4) add({ kind: 'sibling', number }, { siblings: [...now.siblings, number] })
      if (chance >= 4 && chance < 8) add({ kind: 'marks', number }, { marked: number })
      if (chance === 8 && number > 10) {
        const to = number - 1 - random.randomBelow(5)
        const tracedFrom = Math.min(now.tracedFrom, to + 1)
        // A mark on a block that is no longer canonical is removed with it.
        const marked = now.marked !== undefined && now.marked > to ? undefined : now.marked
        add({ kind: 'unwind', to }, { chain: now.chain.slice(0, to + 1), tracedFrom, marked })
      }
    }
  }

  async open(path: string, format: StorageFormat): Promise<Store> {
    const kv = await openLevelKv(path, {
      createIfMissing: true,
      cacheBytes: CACHE_BYTES,
      writeBufferBytes: WRITE_BUFFER_BYTES,
    })
    return openStoreOn(kv, { ...testOptions, format, historyBlocks: HISTORY_BLOCKS })
  }

  async perform(store: Store, index: number): Promise<void> {
    const step = this.steps[index]!
    switch (step.kind) {
      case 'commit': {
        const { number, changes, fork } = step.block
        const block = blockOf(store, number, changes, fork)
        await store.commitBlocks([step.isTraced ? block : { ...block, parties: undefined }])
        return
      }
      case 'trace': {
        const { number, hash, callTrees, parties } = blockOf(
          store,
          step.block.number,
          new Uint8Array(0),
          step.block.fork,
        )
        await store.addTraces([{ number, hash, callTrees: callTrees!, parties: parties! }])
        return
      }
      case 'sibling': {
        const { number } = step
        const text = Buffer.from(`sibling ${number}`)
        const blobs = { header: text, body: text, receipts: undefined, callTrees: undefined }
        await store.writeSiblings([{ number, hash: siblingHash(number), timestamp: 0, ...blobs }])
        return
      }
      case 'marks':
        await store.setMarks({ safe: markOf(step.number), finalized: markOf(step.number) })
        return
      case 'unwind':
        await store.unwind(step.to, transactionHashesOf)
    }
  }

  /**
   * Requires all steps up to `done`, and the next step completely or not at all. Returns the number of the last
   * complete step.
   */
  require(store: Store, done: number): number {
    const head = store.head()?.number ?? -1
    const found = [done, done + 1].find((index) => this.#matches(store, index))
    assert.ok(found !== undefined, `after step ${done} of ${JSON.stringify(this.#told(done))}: head ${head}`)
    const { chain, siblings } = this.#expected[found] ?? EMPTY
    if (found >= 0) this.#requireWhole(store, chain)
    for (const number of siblings) {
      assert.ok(store.read('header', number, siblingHash(number)), `the sibling of block ${number}`)
    }
    return found
  }

  async goOn(store: Store, from: number): Promise<void> {
    const { chain } = this.#expected[from] ?? EMPTY
    const blocks: NewBlock[] = []
    let state = chain.at(-1)?.state ?? new Map()
    for (let number = chain.length; number < chain.length + 3; number++) {
      state = copyState(state)
      const changes = this.#blocks.next(state)
      const block = followingBlock(store, blocks.at(-1)?.state ?? store.headState(), number, changes, '-on')
      assert.deepEqual(block.state.root, rootOf(state), 'the root of a block after the cut')
      blocks.push(block)
    }
    await store.commitBlocks(blocks)
  }

  #matches(store: Store, index: number): boolean {
    const expected = index < 0 ? EMPTY : this.#expected[index]
    if (expected === undefined) return false
    const { chain, marked, tracedFrom, siblings } = expected
    const last = chain.at(-1)
    const head = store.head()
    const isSibling = this.steps[index]?.kind === 'sibling'
    return (
      isSame(head, last && { number: last.number, hash: hashOfPlanned(last) }) &&
      isSame(store.safe(), marked === undefined ? undefined : markOf(marked)) &&
      isSame(store.finalized(), marked === undefined ? undefined : markOf(marked)) &&
      (last === undefined || store.tracedFrom() === tracedFrom) &&
      (!isSibling || store.numberOf(siblingHash(siblings.at(-1)!)) !== undefined)
    )
  }

  #requireWhole(store: Store, chain: readonly Planned[]): void {
    const last = chain.at(-1)!
    assert.deepEqual(store.headState().root, rootOf(last.state), 'the root of the tries')
    this.#requireState(store.stateAt(last.number), last.state)
    const past = Math.max(store.lowestState(), last.number - 100)
    this.#requireState(store.stateAt(past), chain[past]!.state)
    for (const table of ['header', 'body', 'receipts', 'callTrees'] as const) {
      assert.ok(store.read(table, last.number, hashOfPlanned(last)), table)
    }
    store.proofAt(past, this.#blocks.addresses[0]!, [this.#blocks.slots[0]!])
  }

  #requireState(reader: StateReader, state: ModelState): void {
    for (const address of this.#blocks.addresses) {
      const expected = state.get(formatDigits(address))
      assert.equal(reader.account(address)?.balance, expected?.balance)
      if (expected === undefined) continue
      for (const slot of this.#blocks.slots.slice(0, 10)) {
        const value = bytesToBigint(reader.storage(address, slot) ?? new Uint8Array(0))
        assert.equal(value, expected.storage.get(formatDigits(slot)) ?? 0n)
      }
    }
  }

  #told(done: number): unknown {
    const { kind } = this.steps[done] ?? { kind: 'open' }
    return { kind, next: this.steps[done + 1]?.kind, head: this.#expected[done]?.chain.at(-1)?.number }
  }
}

const EMPTY: Expected = { chain: [], siblings: [], marked: undefined, tracedFrom: 0 }

function rootOf(state: ModelState): Uint8Array {
  const accounts = [...state].map(([address, { nonce, balance, codeHash, storage }]): TrieEntry => {
    const slots = [...storage].map(
      ([slot, value]): TrieEntry => [hashOfHex(slot), encodeRlp(rlpScalar(value))],
    )
    const leaf = [rlpScalar(nonce), rlpScalar(balance), hashToBytes(trieRoot(slots)), codeHash]
    return [hashOfHex(address), encodeRlp(leaf)]
  })
  return hashToBytes(trieRoot(accounts))
}

function hashOfHex(digits: string): Uint8Array {
  return keccak256(Buffer.from(digits, 'hex'))
}

function hashOfPlanned({ number, fork }: Planned): Uint8Array {
  return number === 0 ? hashOf('genesis') : hashOf(`block ${number}${fork}`)
}

function markOf(number: number): BlockMark {
  return { number, hash: hashOf(`mark ${number}`) }
}

function isSame(found: BlockMark | undefined, expected: BlockMark | undefined): boolean {
  if (found === undefined || expected === undefined) return found === expected
  return found.number === expected.number && Buffer.compare(found.hash, expected.hash) === 0
}

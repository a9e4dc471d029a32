/*
 * A power cut at any moment, on a disk that loses or tears what was not synced: the store opens, holds at least the
 * last block that was acknowledged, is whole, and goes on.
 *
 * CAIRN_CRASH_SEED repeats a run, CAIRN_CRASH_CUTS says how many cuts (nightly: 5000).
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom, type Random } from '#platform/random.ts'
import { openLevelKv } from '#store/kv.ts'
import {
  blockOf,
  copyState,
  followingBlock,
  type ModelState,
  RandomBlocks,
  testOptions,
} from '#store/ledger.fixture.ts'
import { openStoreOn } from '#store/open-store.ts'
import type { NewBlock, StateReader, StorageFormat, Store } from '#store/store.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { cutPower, type Moment, recordMoment, syncedLogs } from './disk-recording.ts'

const CUTS = Number(process.env.CAIRN_CRASH_CUTS ?? 60)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
const BLOCKS = 330
/** So small that logs are switched and tables written and merged every few blocks. */
const WRITE_BUFFER_BYTES = 96 * 1024
const CACHE_BYTES = 8 * 1024 * 1024
const SIZES = { addresses: 400, slots: 60, changes: 60 }

/** What was committed, so that everything can be compared and done again. */
interface Recording {
  readonly moments: readonly Moment[]
  readonly changes: readonly Uint8Array[]
  readonly roots: readonly string[]
  readonly states: readonly ModelState[]
  readonly blocks: RandomBlocks
}

async function openAt(path: string, format: StorageFormat): Promise<Store> {
  const kv = await openLevelKv(path, {
    createIfMissing: true,
    cacheBytes: CACHE_BYTES,
    writeBufferBytes: WRITE_BUFFER_BYTES,
  })
  return openStoreOn(kv, { ...testOptions, format, historyBlocks: 257 })
}

async function record(random: Random, folder: string, format: StorageFormat): Promise<Recording> {
  const database = join(folder, 'database')
  const store = await openAt(database, format)
  const blocks = new RandomBlocks(random, SIZES)
  const recording = {
    moments: [] as Moment[],
    changes: [] as Uint8Array[],
    roots: [] as string[],
    states: [] as ModelState[],
  }
  let state: ModelState = new Map()
  for (let number = 0; number < BLOCKS; number++) {
    state = copyState(state)
    const changes = blocks.next(state)
    const block = blockOf(store, number, changes)
    await store.commitBlocks([block])
    const synced = syncedLogs(database)
    await store.settled()
    recording.moments.push(recordMoment(database, join(folder, 'moments', `${number}`), synced))
    recording.changes.push(changes)
    recording.roots.push(formatDigits(block.state.root))
    recording.states.push(state)
  }
  await store.close()
  return { ...recording, blocks }
}

function requireState(reader: StateReader, state: ModelState, blocks: RandomBlocks): void {
  for (const address of blocks.addresses) {
    const expected = state.get(formatDigits(address))
    assert.equal(reader.account(address)?.balance, expected?.balance)
    if (expected === undefined) continue
    for (const slot of blocks.slots.slice(0, 10)) {
      const value = bytesToBigint(reader.storage(address, slot) ?? new Uint8Array(0))
      assert.equal(value, expected.storage.get(formatDigits(slot)) ?? 0n)
    }
  }
}

function requireWhole(store: Store, number: number, { roots, states, blocks }: Recording): void {
  const head = store.head()!
  assert.equal(formatDigits(store.headState().root), roots[head.number], 'the root of the tries')
  requireState(store.stateAt(head.number), states[head.number]!, blocks)
  const past = Math.max(store.lowestState(), number - 100)
  requireState(store.stateAt(past), states[past]!, blocks)
  for (const table of ['header', 'body', 'receipts', 'callTrees'] as const) {
    assert.ok(store.read(table, head.number, head.hash), table)
  }
  assert.deepEqual(store.canonicalHash(head.number), head.hash)
  store.proofAt(past, blocks.addresses[0]!, [blocks.slots[0]!])
}

async function goOn(store: Store, { changes, roots }: Recording): Promise<void> {
  const next = store.head()!.number + 1
  const blocks: NewBlock[] = []
  for (let number = next; number < Math.min(next + 3, changes.length); number++) {
    blocks.push(followingBlock(store, blocks.at(-1)?.state ?? store.headState(), number, changes[number]!))
    assert.equal(formatDigits(blocks.at(-1)!.state.root), roots[number], 'the root of a block after the cut')
  }
  await store.commitBlocks(blocks)
}

for (const format of ['BONSAI', 'FOREST'] satisfies StorageFormat[]) {
  test(`after ${CUTS / 2} power cuts the store is whole every time (${format}, CAIRN_CRASH_SEED=${SEED})`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-torn-'))
    context.after(() => rmSync(folder, { recursive: true, force: true }))
    const random = createSeededRandom(SEED)
    const recording = await record(random, folder, format)
    let ahead = 0
    for (let cut = 0; cut < CUTS / 2; cut++) {
      const number = 1 + random.randomBelow(BLOCKS - 2)
      const path = join(folder, 'cut')
      const said = cutPower(random, recording.moments[number]!, recording.moments[number + 1]!, path)
      const told = `cut ${cut} after block ${number}: ${said}`
      try {
        const store = await openAt(path, format)
        const head = store.head()?.number ?? -1
        assert.ok(head === number || head === number + 1, `the head is ${head}`)
        ahead += head - number
        requireWhole(store, number, recording)
        await goOn(store, recording)
        await store.close()
      } catch (error) {
        throw new Error(told, { cause: error })
      }
      rmSync(path, { recursive: true, force: true })
    }
    context.diagnostic(`${ahead} of ${CUTS / 2} cuts kept the block that was under way`)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { accountKey } from '#store/kv/keys.ts'
import { createMemoryKv, type MemoryKv } from '#store/kv/memory-kv.fixture.ts'
import {
  blockOf,
  copyState,
  type ModelState,
  modelRoot,
  openTestStore,
  RandomBlocks,
  transactionHashesOf,
} from '#store/ledger.fixture.ts'
import type { StateReader, StorageFormat } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { flatBeforeChange, writeChange } from './history.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)

class Ledger {
  readonly states: ModelState[] = []
  readonly blocks: RandomBlocks
  readonly format: StorageFormat
  readonly historyBlocks: number
  kv: MemoryKv = createMemoryKv()
  store!: Store

  constructor(blocks: RandomBlocks, format: StorageFormat, historyBlocks: number) {
    this.blocks = blocks
    this.format = format
    this.historyBlocks = historyBlocks
  }

  async open(): Promise<void> {
    this.store = await openTestStore(this.kv, { format: this.format, historyBlocks: this.historyBlocks })
  }

  async grow(fork = ''): Promise<void> {
    const state = copyState(this.states.at(-1) ?? new Map())
    const block = blockOf(this.store, this.states.length, this.blocks.next(state), fork)
    if (this.states.length % 10 === 0) {
      assert.equal(formatDigits(block.state.root), formatDigits(modelRoot(state)), `root of ${block.number}`)
    }
    await this.store.commitBlocks([block])
    this.states.push(state)
  }

  async unwind(to: number): Promise<void> {
    await this.store.unwind(to, transactionHashesOf)
    this.states.length = to + 1
    assert.equal(formatDigits(this.store.headState().root), formatDigits(modelRoot(this.states.at(-1)!)))
  }

  requireState(reader: StateReader, number: number): void {
    const state = this.states[number]!
    for (const address of this.blocks.addresses) {
      const expected = state.get(formatDigits(address))
      const found = reader.account(address)
      assert.equal(found?.balance, expected?.balance, `balance at ${number}`)
      assert.equal(found?.nonce, expected?.nonce)
      assert.equal(found && formatDigits(found.codeHash), expected && formatDigits(expected.codeHash))
      for (const slot of this.blocks.slots) {
        const value = expected?.storage.get(formatDigits(slot)) ?? 0n
        assert.equal(
          bytesToBigint(reader.storage(address, slot) ?? new Uint8Array(0)),
          value,
          `slot at ${number}`,
        )
      }
    }
  }
}

test(`an archive returns every account and slot at every block, through rewinds and restarts (seed ${seed})`, async () => {
  const random = createSeededRandom(seed)
  const ledger = new Ledger(new RandomBlocks(random, { addresses: 8, slots: 5, changes: 4 }), 'FOREST', 0)
  await ledger.open()
  while (ledger.states.length <= 300) {
    await ledger.grow(`fork ${ledger.states.length}`)
    if (ledger.states.length % 83 === 0)
      await ledger.unwind(ledger.states.length - 1 - random.randomBelow(40))
    if (ledger.states.length % 61 === 0) {
      ledger.kv = ledger.kv.crash()
      await ledger.open()
    }
  }
  for (const number of ledger.states.keys()) ledger.requireState(ledger.store.stateAt(number), number)
  ledger.requireState(ledger.store.headState(), 300)
})

test(`a pruned store returns the kept states and refuses the others (seed ${seed})`, async () => {
  const random = createSeededRandom(seed + 1)
  const ledger = new Ledger(new RandomBlocks(random, { addresses: 10, slots: 5, changes: 4 }), 'BONSAI', 260)
  await ledger.open()
  while (ledger.states.length <= 620) {
    await ledger.grow()
    if (ledger.states.length % 97 === 0) {
      await ledger.store.settled()
      ledger.kv = ledger.kv.crash(random.randomBelow(3))
      await ledger.open()
    }
  }
  await ledger.store.settled()
  assert.equal(ledger.store.lowestState(), 361)
  for (let number = 361; number <= 620; number += 7) ledger.requireState(ledger.store.stateAt(number), number)
  for (const number of [0, 1, 200, 360]) {
    assert.throws(() => ledger.store.stateAt(number), { kind: 'STATE_UNAVAILABLE' })
  }
  await ledger.unwind(400)
  await ledger.grow('other')
  await ledger.unwind(361)
  while (ledger.states.length <= 401) await ledger.grow('third')
  for (let number = 361; number <= 401; number++) ledger.requireState(ledger.store.stateAt(number), number)
  await assert.rejects(ledger.store.unwind(360, transactionHashesOf), { kind: 'STATE_UNAVAILABLE' })
})

test('a reader whose state is pruned throws and never answers wrongly', async () => {
  const random = createSeededRandom(seed + 2)
  const ledger = new Ledger(new RandomBlocks(random, { addresses: 8, slots: 5, changes: 4 }), 'BONSAI', 257)
  await ledger.open()
  while (ledger.states.length <= 200) await ledger.grow()
  const reader = ledger.store.stateAt(150)
  ledger.requireState(reader, 150)
  while (ledger.states.length <= 600) await ledger.grow()
  await ledger.store.settled()
  let refused = 0
  for (const address of ledger.blocks.addresses) {
    const expected = ledger.states[150]!.get(formatDigits(address))
    for (const slot of ledger.blocks.slots) {
      try {
        const value = reader.storage(address, slot)
        assert.equal(
          bytesToBigint(value ?? new Uint8Array(0)),
          expected?.storage.get(formatDigits(slot)) ?? 0n,
        )
      } catch (error) {
        assert.equal((error as { kind?: string }).kind, 'STATE_UNAVAILABLE')
        refused++
      }
    }
  }
  assert.ok(refused > 0)
  assert.throws(() => reader.confirm(), { kind: 'STATE_UNAVAILABLE' })
})

test('rewinding restores every value as it was stored, down to the first', async () => {
  const kv = createMemoryKv()
  const key = accountKey(new Uint8Array(20).fill(1))
  const stored: Uint8Array[] = []
  for (let block = 1; block < 70; block++) {
    const batch = kv.batch()
    stored.push(writeChange(batch, key, stored.at(-1), Uint8Array.of(block), block, 0))
    await batch.write({ sync: true })
  }
  for (let last = stored.length - 1; last > 0; last--) {
    assert.deepEqual(flatBeforeChange(kv, key, stored[last]!, last + 1), stored[last - 1])
  }
  assert.equal(flatBeforeChange(kv, key, stored[0]!, 1), undefined)
})

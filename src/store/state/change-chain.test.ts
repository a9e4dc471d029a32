import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changePayload,
  decodeChangeHead,
  endsInEqualTrees,
  payloadAt,
  pushChange,
  treesOf,
  writeChangeHead,
  writeEntryHead,
} from './change-chain.ts'

/** One value with its past. */
class Value {
  stored: Uint8Array | undefined
  readonly entries = new Map<number, Uint8Array>()
  reads = 0

  change(time: number, payload: number, lowest = 0): void {
    const head = this.stored && decodeChangeHead(this.stored)
    const pushed = pushChange(head, time, lowest)
    const bytes = new Uint8Array(500)
    const end = writeEntryHead(bytes, 0, time, pushed)
    const before = this.stored === undefined ? new Uint8Array(0) : this.stored.subarray(head!.length)
    this.entries.set(time, Uint8Array.from([...bytes.subarray(0, end), ...before]))
    const headEnd = writeChangeHead(bytes, 0, time, pushed.count, pushed.roots)
    this.stored = Uint8Array.from([...bytes.subarray(0, headEnd), payload & 0xff, payload >> 8])
  }

  at(time: number): number | undefined {
    this.reads = 0
    const payload = payloadAt(this.stored!, time, (change) => {
      this.reads++
      return this.entries.get(change)
    })
    if (payload === undefined) return undefined
    return payload.length === 0 ? -1 : payload[0]! + payload[1]! * 256
  }
}

test('the value at any time is found in few reads, however often it changed', () => {
  const value = new Value()
  const changes = 20_000
  for (let index = 0; index < changes; index++) value.change(10 + index * 3, index)
  let worst = 0
  for (let time = 10; time < 10 + changes * 3; time += 77) {
    assert.equal(value.at(time), Math.floor((time - 10) / 3))
    worst = Math.max(worst, value.reads)
  }
  assert.equal(value.at(9), -1)
  assert.equal(value.reads, 1)
  assert.ok(worst <= Math.log2(changes), `${worst} reads`)
  assert.ok(value.stored!.length < 60, `${value.stored!.length} bytes`)
})

test('a pruned value is not found, but later ones are', () => {
  const value = new Value()
  for (let index = 0; index < 1000; index++) {
    value.change(index + 1, index, index - 100)
    if (index >= 100) value.entries.delete(index - 99)
  }
  for (let time = 900; time <= 1000; time++) assert.equal(value.at(time), time - 1)
  assert.equal(value.at(500), undefined)
})

test('a list of changes has as many trees as its count implies, and ends with the first change', () => {
  const value = new Value()
  for (let count = 1; count < 600; count++) {
    value.change(count, 0)
    const head = decodeChangeHead(value.stored!)
    assert.equal(head.count, count)
    assert.equal(head.roots.length, treesOf(count) + (count < 3 ? 0 : 1))
    assert.equal(head.roots.at(-1), 1)
    assert.deepEqual(changePayload(value.stored!), value.stored!.subarray(head.length))
  }
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].filter(endsInEqualTrees), [2, 5, 6])
})

test('a truncated or unordered head is a fault', () => {
  for (const bytes of [[], [0x80], [5], [5, 1], [5, 1, 1], [5, 2, 1, 9], [5, 2, 1, 0], [5, 1, 200]]) {
    assert.throws(() => decodeChangeHead(Uint8Array.from(bytes)), { kind: 'STORE_CORRUPT' })
  }
  for (const bytes of [[], [0x80], [5], [5, 0x80], [5, 1], [5, 1, 1], [5, 2, 1, 0x80], [5, 1, 54]]) {
    assert.throws(() => changePayload(Uint8Array.from(bytes)), { kind: 'STORE_CORRUPT' })
  }
})

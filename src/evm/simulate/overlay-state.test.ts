import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StateSource } from '#evm/state-lookup.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { readStateChanges, StateChangesWriter } from '#types/state-changes.ts'
import { OverlayState } from './overlay-state.ts'

const KNOWN = parseAddress('aa'.repeat(20))
const NEW = parseAddress('bb'.repeat(20))
const EMPTY_CODE = keccak256(new Uint8Array(0))

const base: StateSource = {
  account: (address) =>
    address[0] === 0xaa ? { nonce: 1n, balance: 100n, codeHash: EMPTY_CODE } : undefined,
  storage: (address, slot) => (address[0] === 0xaa && slot[31] === 1 ? word(7n) : undefined),
  code: () => undefined,
  blockHash: (number) => (number === 5n ? word(5n) : undefined),
}

function word(value: bigint): Uint8Array {
  return bigintToBytes(value, 32)
}

function hash(value: bigint): Hash {
  return hashFromBytes(word(value))
}

function overlay(): OverlayState {
  return new OverlayState(base, keccak256)
}

test('values without an override come from the base state', () => {
  const state = overlay()
  state.override(KNOWN, { balance: 5n })
  assert.deepEqual(state.account(addressToBytes(KNOWN)), { nonce: 1n, balance: 5n, codeHash: EMPTY_CODE })
  assert.deepEqual(state.storage(addressToBytes(KNOWN), word(1n)), word(7n))
  assert.deepEqual(state.blockHash(5n), word(5n))
})

test('an empty override creates no account', () => {
  const state = overlay()
  state.override(NEW, {})
  assert.equal(state.account(addressToBytes(NEW)), undefined)
  assert.equal(state.changes().length, 0)
})

test('stateDiff changes slots, and state replaces all of them', () => {
  const differing = overlay()
  differing.override(KNOWN, { stateDiff: new Map([[hash(2n), hash(9n)]]) })
  assert.deepEqual(differing.storage(addressToBytes(KNOWN), word(1n)), word(7n))
  assert.deepEqual(differing.storage(addressToBytes(KNOWN), word(2n)), word(9n))
  const replaced = overlay()
  replaced.override(KNOWN, { state: new Map([[hash(2n), hash(9n)]]) })
  assert.equal(replaced.storage(addressToBytes(KNOWN), word(1n)), undefined)
  assert.deepEqual(replaced.storage(addressToBytes(KNOWN), word(2n)), word(9n))
})

test('overridden code is found by its hash', () => {
  const state = overlay()
  const code = Uint8Array.of(1, 2, 3)
  state.override(NEW, { code })
  const { codeHash } = state.account(addressToBytes(NEW))!
  assert.deepEqual(codeHash, keccak256(code))
  assert.deepEqual(state.code(codeHash), code)
})

test('changes of a session hide destroyed accounts', () => {
  const writer = new StateChangesWriter()
  writer.destroyed(addressToBytes(KNOWN))
  writer.account(addressToBytes(NEW), 2n, 3n, EMPTY_CODE)
  writer.storage(addressToBytes(NEW), word(4n), word(5n))
  const state = overlay()
  state.apply(writer.finish())
  assert.equal(state.account(addressToBytes(KNOWN)), undefined)
  assert.equal(state.storage(addressToBytes(KNOWN), word(1n)), undefined)
  assert.equal(state.account(addressToBytes(NEW))?.balance, 3n)
  assert.deepEqual([...state.changedSlots(NEW).slots], [[hash(4n), word(5n)]])
})

test('the difference is net: a recreated account is destroyed first', () => {
  const state = overlay()
  state.override(KNOWN, { state: new Map([[hash(2n), hash(9n)]]) })
  state.override(NEW, { balance: 1n })
  const seen: string[] = []
  readStateChanges(state.changes(), {
    destroyed: (bytes, at) => seen.push(`destroyed ${bytes[at]!.toString(16)}`),
    account: (bytes, at) => seen.push(`account ${bytes[at]!.toString(16)}`),
    storage: (bytes, at) => seen.push(`storage ${bytes[at]!.toString(16)}`),
  })
  assert.deepEqual(seen, ['destroyed aa', 'account aa', 'storage aa', 'account bb'])
})

import { boolean, object, record, string } from 'zod'
import { RangeLimit, StartHash, stateAfterTransaction } from '#api/calls/state-range.ts'
import { defineMethod } from '#api/define-method.ts'
import { blockOf } from '#api/resolve-block.ts'
import type { Resources } from '#api/resources.ts'
import { Address, Block, HashText, TransactionIndex } from '#api/schema/values.ts'
import type { OverlayState } from '#evm/simulate/overlay-state.ts'
import { type Address as AccountAddress, addressToBytes } from '#types/address.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'

const EMPTY = { storage: {}, complete: true }

interface HashedValue {
  readonly hash: Uint8Array
  readonly value: Uint8Array
  /** Present if the block changed it: the store may not know it yet. */
  readonly slot?: Uint8Array
}

export default defineMethod({
  name: 'debug_storageRangeAt',
  summary: 'The storage of an account after a transaction, ordered by slot hash.',
  needs: ['chain', 'engine'],
  cost: 'heavy',
  params: {
    block: Block,
    transactionIndex: TransactionIndex,
    address: Address,
    start: StartHash,
    limit: RangeLimit,
  },
  result: object({
    storage: record(string(), object({ key: HashText.nullable(), value: HashText })),
    nextKey: HashText.optional(),
    complete: boolean(),
  }),
  run: async (resources, { block, transactionIndex, address, start, limit }, context) => {
    const { chain } = resources
    const known = blockOf(chain, block)
    if (known === undefined || known.block.header.number === 0n) return EMPTY
    // If there is no such transaction, Besu answers with the state before the first.
    const index = transactionIndex < known.block.transactions.length ? transactionIndex : -1
    const state = await stateAfterTransaction(resources, known, index, context)
    const parent = Number(known.block.header.number) - 1
    const slots = slotsFrom(chain, parent, state, address, start, limit + 1)
    const next = slots[limit]?.hash
    const storage: Record<string, { key: string | null; value: string }> = {}
    for (const { hash, value, slot = chain.slotOf(hash) } of slots.slice(0, limit)) {
      storage[formatData(hash)] = {
        key: slot === undefined ? null : formatData(slot),
        value: formatData(value),
      }
    }
    return next === undefined
      ? { storage, complete: true }
      : { storage, nextKey: formatData(next), complete: false }
  },
})

/** The parent's stored slots with the changes of the block so far. */
function slotsFrom(
  chain: Resources['chain'],
  parent: number,
  state: OverlayState,
  address: AccountAddress,
  start: Uint8Array,
  limit: number,
): HashedValue[] {
  const changed = state.changedSlots(address)
  const slots = new Map<string, HashedValue>()
  if (!changed.isFresh) {
    // Deleted slots leave room for as many further ones.
    const stored = chain.slotsAt(parent, addressToBytes(address), start, limit + changed.slots.size)
    for (const slot of stored) slots.set(formatData(slot.hash), slot)
  }
  const first = formatData(start)
  for (const [key, value] of changed.slots) {
    const slot = hashToBytes(key)
    const hash = chain.keccak(slot)
    const text = formatData(hash)
    if (value.every((byte) => byte === 0)) slots.delete(text)
    else if (text >= first) slots.set(text, { hash, value, slot })
  }
  return [...slots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([, slot]) => slot)
}

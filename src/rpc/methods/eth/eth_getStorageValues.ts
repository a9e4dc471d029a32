import { array, record, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { presentWord } from '#rpc/present/word.ts'
import { readState } from '#rpc/read-state.ts'
import { AddressWire } from '#rpc/schema/address.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { SlotWire } from '#rpc/schema/storage-slot.ts'
import { addressToBytes } from '#types/address.ts'

/** Of all accounts together. */
const MAX_SLOTS = 1_024

const SlotsByAddress = new Param(
  record(string(), array(SlotWire)).meta({ title: 'slots by address' }),
  'INVALID_PARAMS',
)

export default defineMethod({
  name: 'eth_getStorageValues',
  summary: 'Storage slots of several accounts at one block, at most 1,024; null when its state is not kept.',
  needs: ['chain'],
  params: { slots: SlotsByAddress, block: Block.default(LATEST) },
  result: record(string(), array(HashText)).nullable(),
  run: ({ chain }, { slots, block }) => {
    const entries = Object.entries(slots).map(([text, list]) => {
      const address = AddressWire.safeParse(text)
      if (!address.success) throw rpcFault('INVALID_ADDRESS_PARAMS')
      return { text, address: addressToBytes(address.data), list }
    })
    const count = entries.reduce((sum, { list }) => sum + list.length, 0)
    if (count === 0) throw rpcFault('EMPTY_STORAGE_REQUEST')
    if (count > MAX_SLOTS) throw rpcFault('TOO_MANY_STORAGE_SLOTS')
    return (
      readState(chain, block, (state) =>
        Object.fromEntries(
          entries.map(({ text, address, list }) => [
            text,
            list.map((slot) => presentWord(state.storage(address, slot))),
          ]),
        ),
      ) ?? null
    )
  },
})

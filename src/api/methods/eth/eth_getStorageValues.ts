import { array, record, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentWord } from '#api/present/word.ts'
import { readState } from '#api/read-state.ts'
import { AddressWire, Block, HashText, LATEST, SlotWire } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { addressToBytes } from '#types/address.ts'

/** For all accounts together. */
const MAX_SLOTS = 1_024

const SlotsByAddress = new Param(
  record(string(), array(SlotWire)).meta({ title: 'slots by address' }),
  'INVALID_PARAMS',
)

export default defineMethod({
  name: 'eth_getStorageValues',
  summary: 'Storage slots of several accounts at one block, at most 1,024; null if its state is not kept.',
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

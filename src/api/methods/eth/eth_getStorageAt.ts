import { defineMethod } from '#api/define-method.ts'
import { presentWord } from '#api/present/word.ts'
import { readState } from '#api/read-state.ts'
import { Address, Block, HashText, LATEST, StorageSlot } from '#api/schema/values.ts'
import { addressToBytes } from '#types/address.ts'

export default defineMethod({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes of a storage slot; null if there is no such block or its state is not kept.',
  needs: ['chain'],
  params: { address: Address, slot: StorageSlot, block: Block.default(LATEST) },
  result: HashText.nullable(),
  run: ({ chain }, { address, slot, block }) =>
    readState(chain, block, (state) => presentWord(state.storage(addressToBytes(address), slot))) ?? null,
})

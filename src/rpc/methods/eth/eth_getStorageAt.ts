import { defineMethod } from '#rpc/define-method.ts'
import { presentWord } from '#rpc/present/word.ts'
import { readState } from '#rpc/read-state.ts'
import { Address } from '#rpc/schema/address.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { StorageSlot } from '#rpc/schema/storage-slot.ts'
import { addressToBytes } from '#types/address.ts'

export default defineMethod({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes of a storage slot; null when there is no such block or its state is not kept.',
  needs: ['chain'],
  params: { address: Address, slot: StorageSlot, block: Block.default(LATEST) },
  result: HashText.nullable(),
  run: ({ chain }, { address, slot, block }) =>
    readState(chain, block, (state) => presentWord(state.storage(addressToBytes(address), slot))) ?? null,
})

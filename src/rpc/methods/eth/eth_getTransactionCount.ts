import { defineMethod } from '#rpc/define-method.ts'
import { readState } from '#rpc/read-state.ts'
import { Address } from '#rpc/schema/address.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { addressToBytes } from '#types/address.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getTransactionCount',
  summary: 'The nonce of an account; null when there is no such block or its state is not kept.',
  needs: ['chain'],
  params: { address: Address, block: Block.default(LATEST) },
  result: QuantityText.nullable(),
  run: ({ chain }, { address, block }) =>
    readState(chain, block, (state) => formatQuantity(state.account(addressToBytes(address))?.nonce ?? 0n)) ??
    null,
})

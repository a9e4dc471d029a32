import { defineMethod } from '#api/define-method.ts'
import { readState } from '#api/read-state.ts'
import { Address, Block, LATEST, QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getBalance',
  summary: 'The balance of an account in wei; null if there is no such block or its state is not kept.',
  needs: ['chain'],
  params: { address: Address, block: Block.default(LATEST) },
  result: QuantityText.nullable(),
  run: ({ chain }, { address, block }) =>
    readState(chain, block, (state) => formatQuantity(state.accountOf(address)?.balance ?? 0n)) ?? null,
})

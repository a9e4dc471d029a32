import { defineMethod } from '#rpc/define-method.ts'
import { readState } from '#rpc/read-state.ts'
import { Address } from '#rpc/schema/address.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { addressToBytes } from '#types/address.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getTransactionCount',
  summary:
    'The nonce of an account, with `pending` behind its transactions in the pool; null when there is no such block or its state is not kept.',
  needs: ['chain', 'pool'],
  params: { address: Address, block: Block.default(LATEST) },
  result: QuantityText.nullable(),
  run: async ({ chain, pool }, { address, block }) => {
    const isPending = block.kind === 'tag' && block.tag === 'pending'
    const waiting = isPending ? await pool.nextNonce(address) : undefined
    const nonce = readState(chain, block, (state) => state.account(addressToBytes(address))?.nonce ?? 0n)
    if (nonce === undefined) return null
    return formatQuantity(waiting !== undefined && waiting > nonce ? waiting : nonce)
  },
})

import { defineMethod } from '#api/define-method.ts'
import { readState } from '#api/read-state.ts'
import { Address, Block, LATEST, QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getTransactionCount',
  summary:
    'The nonce of an account, for `pending` after its transactions in the pool; null if there is no such block or its state is not kept.',
  needs: ['chain', 'pool'],
  params: { address: Address, block: Block.default(LATEST) },
  result: QuantityText.nullable(),
  run: ({ chain, pool }, { address, block }) => {
    const nonceAfter = (waiting: bigint | undefined): string | null => {
      const nonce = readState(chain, block, (state) => state.accountOf(address)?.nonce ?? 0n)
      if (nonce === undefined) return null
      return formatQuantity(waiting !== undefined && waiting > nonce ? waiting : nonce)
    }
    const isPending = block.kind === 'tag' && block.tag === 'pending'
    return isPending ? pool.nextNonce(address).then(nonceAfter) : nonceAfter(undefined)
  },
})

import { boolean, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { HashText, QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

const Reach = object({ disabled: boolean(), oldestBlock: QuantityText })

export default defineMethod({
  name: 'eth_capabilities',
  summary: 'The first block for which the node has each kind of data.',
  needs: ['chain'],
  params: {},
  result: object({
    head: object({ number: QuantityText, hash: HashText }),
    state: Reach,
    tx: Reach,
    logs: Reach,
    receipts: Reach,
    blocks: Reach,
    stateproofs: Reach,
  }),
  run: ({ chain }) => {
    const { hash, header } = chain.head()
    const since = (number: number) => ({ disabled: false, oldestBlock: formatQuantity(number) })
    const [all, states] = [since(0), since(chain.lowestState())]
    return {
      head: { number: formatQuantity(header.number), hash },
      state: states,
      tx: all,
      logs: all,
      receipts: all,
      blocks: all,
      stateproofs: states,
    }
  },
})

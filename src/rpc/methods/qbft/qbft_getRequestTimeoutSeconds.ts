import { int } from 'zod'
import { requireQbft } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'qbft_getRequestTimeoutSeconds',
  summary:
    'How long the first round of a block may take, from the genesis file; each further one takes twice as long.',
  needs: ['chain'],
  params: {},
  result: int(),
  run: ({ chain }) => requireQbft(chain).requestTimeoutSeconds,
})

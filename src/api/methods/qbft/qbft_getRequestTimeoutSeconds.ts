import { int } from 'zod'
import { requireQbft } from '#api/bft-network.ts'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'qbft_getRequestTimeoutSeconds',
  summary: 'The timeout of round 0 from the genesis file; each further round doubles it.',
  needs: ['chain'],
  params: {},
  result: int(),
  run: ({ chain }) => requireQbft(chain).requestTimeoutSeconds,
})

import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'eth_sendTransaction',
  summary: 'Always refused: the node does not sign for clients. Use eth_sendRawTransaction.',
  needs: [],
  params: {},
  result: string(),
  run: () => {
    throw rpcFault('ETH_SEND_TX_NOT_AVAILABLE')
  },
})

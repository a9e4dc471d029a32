import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'

export default defineMethod({
  name: 'eth_sendTransaction',
  summary:
    'Refused with its reason: the node signs for nobody. Send signed transactions with eth_sendRawTransaction.',
  needs: [],
  params: {},
  result: string(),
  run: () => {
    throw rpcFault('ETH_SEND_TX_NOT_AVAILABLE')
  },
})

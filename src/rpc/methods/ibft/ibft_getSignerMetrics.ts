import { requireIbft2 } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { SIGNER_METRICS_PARAMS, SignerMetrics, signerMetrics } from '#rpc/signer-metrics.ts'

export default defineMethod({
  name: 'ibft_getSignerMetrics',
  summary:
    'Who made how many blocks from one block up to another, which is not counted; the last hundred unless said otherwise.',
  needs: ['chain', 'engine'],
  cost: 'heavy',
  params: SIGNER_METRICS_PARAMS,
  result: SignerMetrics,
  run: (ports, range, context) => {
    requireIbft2(ports.chain)
    return signerMetrics(ports, range, context)
  },
})

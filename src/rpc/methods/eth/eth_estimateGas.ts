import type { Outcome } from '#evm/outcome.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import { refusalFault } from '#rpc/calls/call-fault.ts'
import { confirmed } from '#rpc/calls/confirmed.ts'
import { type Estimate, isPlain, MIN_GAS, openEstimate } from '#rpc/calls/estimate.ts'
import { explainFailure } from '#rpc/calls/explain-failure.ts'
import type { RanCall } from '#rpc/calls/run-call.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { BlockNumber, PENDING } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { StateOverride } from '#rpc/schema/state-override.ts'
import { formatQuantity } from '#types/hex.ts'

/** EIP-150: a call hands on at most 63 of 64 parts of what is left. */
const SUB_CALL_RATIO = 64 / 63

export default defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas with which a transaction succeeds, within the tolerance of the estimate.',
  needs: ['chain', 'engine', 'limits'],
  params: {
    call: CallObject,
    block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS').default(PENDING),
    stateOverrides: StateOverride,
  },
  result: QuantityText,
  run: async (ports, params, context) => {
    const estimate = await openEstimate(ports, params, context)
    const { simulate, maxGas, run } = estimate
    const gas = await confirmed(run.site.pinned, async () => {
      if (isPlain(params.call) && isSuccess(await simulate(MIN_GAS))) return MIN_GAS
      const ran = await simulate(maxGas)
      if (!ran.ok) throw refusalFault(ran.refusal)
      // What fails with the most gas there is fails with less.
      if (!ran.outcome.isSuccess) throw await explainFailure(ports, run, params.call, ran.outcome, context)
      return search(estimate, ran.outcome, ports.limits.estimateGasTolerance)
    })
    return formatQuantity(gas)
  },
})

/** As Besu searches, so that it finds the same number. */
async function search({ simulate, maxGas }: Estimate, most: Outcome, tolerance: number): Promise<bigint> {
  const used = most.gasUsed + most.gasRefunded
  let low = used - 1n
  let high = maxGas
  const guess = BigInt(Math.trunc(Number(used + CALL_STIPEND) * SUB_CALL_RATIO))
  if (isSuccess(await simulate(guess))) high = guess
  else low = guess
  while (low + 1n < high) {
    if (tolerance > 0 && Number(high - low) / Number(high) < tolerance) break
    const middle = (low + high) / 2n
    if (isSuccess(await simulate(middle))) high = middle
    else low = middle
  }
  return high
}

function isSuccess(ran: RanCall): boolean {
  return ran.ok && ran.outcome.isSuccess
}

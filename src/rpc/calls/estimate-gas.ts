import type { Outcome } from '#evm/outcome.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import type { RunContext } from '#rpc/define-method.ts'
import type { Resources } from '#rpc/resources.ts'
import { refusalFault } from './call-fault.ts'
import { confirmed } from './confirmed.ts'
import { type Estimate, type EstimateParams, isPlain, MIN_GAS, openEstimate } from './estimate.ts'
import { explainFailure } from './explain-failure.ts'
import type { RanCall } from './run-call.ts'

/** EIP-150: a call hands on at most 63 of 64 parts of what is left. */
const SUB_CALL_RATIO = 64 / 63

/** The gas with which a call succeeds, within the tolerance; throws why it does not. */
export async function estimateGas(
  resources: Pick<Resources, 'chain' | 'engine' | 'limits'>,
  params: EstimateParams,
  context: RunContext,
): Promise<bigint> {
  const estimate = await openEstimate(resources, params, context)
  const { simulate, maxGas, run } = estimate
  return confirmed(run.site.pinned, async () => {
    if (isPlain(params.call) && isSuccess(await simulate(MIN_GAS))) return MIN_GAS
    const ran = await simulate(maxGas)
    if (!ran.ok) throw refusalFault(ran.refusal)
    // What fails with the most gas there is fails with less.
    if (!ran.outcome.isSuccess) throw await explainFailure(resources, run, params.call, ran.outcome, context)
    return search(estimate, ran.outcome, resources.limits.estimateGasTolerance)
  })
}

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

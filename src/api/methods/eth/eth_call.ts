import {
  confirmed,
  explainFailure,
  overrideSite,
  refusalFault,
  runCall,
  siteOf,
} from '#api/calls/run-call.ts'
import { defineMethod } from '#api/define-method.ts'
import { CallObject, StateOverride } from '#api/schema/call-object.ts'
import { Block, DataText } from '#api/schema/values.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { formatData } from '#types/hex.ts'

/** Maximum characters of calldata, and of any other member, that a server tries itself. */
const BRIEF_LENGTH = 8_192
/** 0x and a selector. */
const SELECTOR_LENGTH = 10

export default defineMethod({
  name: 'eth_call',
  summary: 'Executes a call on the state after a block, without a transaction, and returns its output.',
  needs: ['chain', 'engine', 'limits'],
  params: { call: CallObject, block: Block.first(), stateOverrides: StateOverride },
  briefKind,
  result: DataText.nullable(),
  run: async (resources, { call, block, stateOverrides }, context) => {
    const found = await siteOf(resources.chain, block)
    if (found === undefined) return null
    const site = await overrideSite(found, stateOverrides)
    const policy = policyOf(call, site.hasBaseFee)
    const run = { site, policy, movedPrecompiles: stateOverrides?.movedPrecompiles }
    return confirmed(site.pinned, async () => {
      const ran = await runCall(resources, run, call, context)
      if (!ran.ok) throw refusalFault(ran.refusal)
      if (!ran.outcome.isSuccess) throw await explainFailure(resources, run, call, ran.outcome, context)
      return formatData(ran.outcome.output)
    })
  },
})

/** One function of one contract, called without overrides and lists. */
function briefKind([call, , overrides]: readonly unknown[]): string | undefined {
  if (overrides != null || typeof call !== 'object' || call === null) return undefined
  const isShort = Object.values(call).every((member) =>
    typeof member === 'string'
      ? member.length <= BRIEF_LENGTH
      : typeof member !== 'object' || member === null,
  )
  if (!isShort) return undefined
  const { to, input, data } = call as Readonly<Record<string, unknown>>
  return `${to} ${String(input ?? data).slice(0, SELECTOR_LENGTH)}`
}

/** Without a price gas is free; `strict` says so explicitly. */
function policyOf(call: CallRequest, hasBaseFee: boolean): CallPolicy {
  const { freeCall, pricedCall } = CALL_POLICIES
  const { strict, gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = call
  if (strict !== undefined) return strict ? pricedCall : freeCall
  if (!hasBaseFee) return gasPrice === 0n ? freeCall : pricedCall
  if (call.blobVersionedHashes !== undefined && (call.maxFeePerBlobGas ?? 0n) === 0n) return freeCall
  return gasPrice === 0n && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n ? freeCall : pricedCall
}

import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { siteOf } from '#rpc/calls/call-block.ts'
import { refusalFault } from '#rpc/calls/call-fault.ts'
import { confirmed } from '#rpc/calls/confirmed.ts'
import { explainFailure } from '#rpc/calls/explain-failure.ts'
import { overrideSite, runCall } from '#rpc/calls/run-call.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { Block } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { DataText } from '#rpc/schema/data.ts'
import { StateOverride } from '#rpc/schema/state-override.ts'
import { formatData } from '#types/hex.ts'

/** Characters of calldata, and of any other member, that are tried before an engine thread is asked. */
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

/** Where no price is given that counts, gas is free; `strict` says it expressly. */
function policyOf(call: CallRequest, hasBaseFee: boolean): CallPolicy {
  const { freeCall, pricedCall } = CALL_POLICIES
  const { strict, gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = call
  if (strict !== undefined) return strict ? pricedCall : freeCall
  if (!hasBaseFee) return gasPrice === 0n ? freeCall : pricedCall
  if (call.blobVersionedHashes !== undefined && (call.maxFeePerBlobGas ?? 0n) === 0n) return freeCall
  return gasPrice === 0n && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n ? freeCall : pricedCall
}

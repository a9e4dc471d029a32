import { array, object, string } from 'zod'
import { AccessedSlots } from '#rpc/calls/accessed-slots.ts'
import { refusalFault } from '#rpc/calls/call-fault.ts'
import { confirmed } from '#rpc/calls/confirmed.ts'
import { isPlain, MIN_GAS, openEstimate } from '#rpc/calls/estimate.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { BlockNumber, PENDING } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { StateOverride } from '#rpc/schema/state-override.ts'
import { formatQuantity } from '#types/hex.ts'
import type { AccessList } from '#types/transaction/access-list.ts'

export default defineMethod({
  name: 'eth_createAccessList',
  summary: 'The storage that a call uses, as an access list, and the gas it uses with that list.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'medium',
  params: {
    call: CallObject,
    block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS').default(PENDING),
    stateOverrides: StateOverride,
  },
  result: object({
    accessList: array(object({ address: AddressText, storageKeys: array(HashText) })),
    error: string().optional(),
    gasUsed: QuantityText,
  }),
  run: async (resources, params, context) => {
    const { simulate, maxGas, run } = await openEstimate(resources, params, context)
    const { call } = params
    const watched = async (gas: bigint, accessList: AccessList | undefined) => {
      const accessed = new AccessedSlots(accessList)
      const ran = await simulate(gas, accessList && { accessList }, accessed.request)
      if (!ran.ok) throw refusalFault(ran.refusal)
      return { outcome: ran.outcome, accessList: accessed.accessList() }
    }
    return confirmed(run.site.pinned, async () => {
      const plain = isPlain(call) ? await simulate(MIN_GAS) : undefined
      if (plain?.ok && plain.outcome.isSuccess) return { gasUsed: formatQuantity(MIN_GAS), accessList: [] }
      let seen = await watched(maxGas, call.accessList)
      // A list makes storage cheaper and the transaction dearer, so that another path may be taken.
      if (seen.accessList.length > 0 && !isSame(seen.accessList, call.accessList)) {
        seen = await watched(maxGas, seen.accessList)
      }
      return {
        gasUsed: formatQuantity(seen.outcome.gasUsed),
        ...(seen.outcome.isSuccess ? {} : { error: 'execution reverted' }),
        accessList: seen.accessList,
      }
    })
  },
})

function isSame(found: AccessList, given: AccessList | undefined): boolean {
  return JSON.stringify(found) === JSON.stringify(given ?? [])
}

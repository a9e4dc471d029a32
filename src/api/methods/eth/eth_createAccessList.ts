import { array, object, string } from 'zod'
import { ESTIMATE_PARAMS, isPlain, MIN_GAS, openEstimate } from '#api/calls/estimate.ts'
import { confirmed, refusalFault } from '#api/calls/run-call.ts'
import { defineMethod } from '#api/define-method.ts'
import { AddressText, HashText, QuantityText } from '#api/schema/values.ts'
import { storageOwner } from '#evm/call-tree.ts'
import { NO_WANTS } from '#evm/trace/events.ts'
import { requestOf } from '#evm/trace/shape.ts'
import type { Address } from '#types/address.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'
import type { AccessList } from '#types/transaction/access-list.ts'

export default defineMethod({
  name: 'eth_createAccessList',
  summary: 'The access list of a call, and the gas it uses with that list.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'medium',
  params: ESTIMATE_PARAMS,
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
      // A list makes storage cheaper and the transaction more expensive, so the call may take another path.
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

type Slots = Map<Address, Set<Hash>>

interface OpenFrame {
  /** The account whose storage the call frame uses. */
  readonly owner: Address
  readonly slots: Slots
}

/** The slots that are warm at the end of a call, including those of an outermost call frame that failed. */
class AccessedSlots {
  readonly #slots: Slots = new Map()
  readonly #frames: OpenFrame[] = []
  readonly request = requestOf({
    wants: { ...NO_WANTS, steps: true, storage: true },
    visitor: {
      enter: (frame) => this.#frames.push({ owner: storageOwner(frame), slots: new Map() }),
      step: ({ slot }) => {
        const frame = this.#frames.at(-1)
        if (slot !== undefined && frame !== undefined) add(frame.slots, frame.owner, hashFromBytes(slot))
      },
      exit: ({ error }) => {
        const { slots } = this.#frames.pop()!
        const outer = this.#frames.at(-1)
        if (outer === undefined) merge(this.#slots, slots)
        else if (error === 'none' || error === 'codeNotPaid') merge(outer.slots, slots)
      },
    },
  })

  /** `given` is warm from the start. */
  constructor(given: AccessList = []) {
    for (const { address, storageKeys } of given) {
      for (const key of storageKeys) add(this.#slots, address, key)
    }
  }

  /** In the order of first use; the slots of an address ascending. */
  accessList(): AccessList {
    return [...this.#slots].map(([address, keys]) => ({ address, storageKeys: [...keys].sort() }))
  }
}

function add(slots: Slots, address: Address, key: Hash): void {
  const known = slots.get(address)
  if (known === undefined) slots.set(address, new Set([key]))
  else known.add(key)
}

function merge(into: Slots, from: Slots): void {
  for (const [address, keys] of from) for (const key of keys) add(into, address, key)
}

/** Who called whom in the transactions of a block, for the index of call trees. */
import { frameParties } from '#evm/call-tree.ts'
import type { Outcome } from '#evm/outcome.ts'
import type { TracedAddress, TracedParties } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'

/** undefined: the engine recorded no frames. A creation calls nobody, and a selfdestruct is no call. */
export function tracedParties(outcomes: readonly Pick<Outcome, 'frames'>[]): TracedParties | undefined {
  const callers = new Map<Address, number[]>()
  const callees = new Map<Address, number[]>()
  for (const [position, { frames }] of outcomes.entries()) {
    if (frames === undefined) return undefined
    for (const { type, from, to } of frameParties(frames)) {
      if (type === 'selfdestruct') continue
      addTo(callers, from, position)
      if (type !== 'create' && type !== 'create2') addTo(callees, to, position)
    }
  }
  return { callers: [...callers].map(toTraced), callees: [...callees].map(toTraced) }
}

function addTo(parties: Map<Address, number[]>, address: Address, position: number): void {
  const positions = parties.get(address)
  if (positions === undefined) parties.set(address, [position])
  else if (positions.at(-1) !== position) positions.push(position)
}

function toTraced([address, transactions]: [Address, number[]]): TracedAddress {
  return { address: addressToBytes(address), transactions }
}

import { usageFault } from '#config/faults.ts'
import type { Say } from '#fleet/await-node.ts'
import type { Endpoint } from '#fleet/endpoint.ts'
import { castVote, readValidators, requireQuorum } from '#fleet/validators.ts'
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'

/** The vote of one validator of any network, which its node casts with the next block that it makes. */
export async function voteByRpc(
  url: string,
  operands: readonly string[],
  isAdd: boolean,
  say: Say,
): Promise<void> {
  const address = addressOf(operands)
  const endpoint = { url }
  const { protocol, validators } = await readSet(endpoint)
  if (validators.includes(address) === isAdd) {
    throw usageFault(`${address} is ${isAdd ? 'a validator already' : 'no validator'}.`)
  }
  // Who of them runs is not known here, and one vote alone changes nothing.
  say(requireQuorum(validators.length, isAdd ? 1 : -1, validators.length))
  await castVote(endpoint, protocol, address, isAdd)
  const needed = Math.floor(validators.length / 2) + 1
  say(`The node votes. The set changes when ${needed} of ${validators.length} validators have voted.`)
}

function addressOf([text, ...more]: readonly string[]): Address {
  if (text === undefined || more.length > 0) {
    throw usageFault('With --rpc, name the address to vote on, and nothing else.')
  }
  return parseAddress(text)
}

async function readSet(
  endpoint: Endpoint,
): Promise<{ protocol: BftProtocol; validators: readonly Address[] }> {
  try {
    return { protocol: 'qbft', validators: await readValidators(endpoint, 'qbft') }
  } catch {
    return { protocol: 'ibft2', validators: await readValidators(endpoint, 'ibft2') }
  }
}

import { resolve } from 'node:path'
import type { Command } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { addNode } from '#fleet/add-node.ts'
import type { Say } from '#fleet/await-node.ts'
import type { Endpoint } from '#fleet/endpoint.ts'
import { isValidator, markRemoved, nodeNamed, nodesOf } from '#fleet/network-directory.ts'
import { stopNodes, wantStopped } from '#fleet/node-process.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeTargets } from '#fleet/scrape-targets.ts'
import {
  castVote,
  changeValidators,
  readMembership,
  readValidators,
  requireQuorum,
} from '#fleet/validators.ts'
import { whileChanging } from '#fleet/while-changing.ts'
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { networkOptions } from './network-options.ts'

/** Options for one vote on any network, instead of the votes of a network on this machine. */
const voteOptions = {
  ...networkOptions,
  ...defineOptions('Options', {
    rpc: {
      flag: '--rpc',
      kind: text,
      label: 'URL',
      help: 'Cast the vote of the validator at this URL only, on an address.',
    },
  }),
}

export const addValidator = voteCommand(
  'a node of the network that is to become a validator, instead of a new one; with --rpc, the address to vote on.',
  true,
  async (directory, [name, ...more], say) => {
    if (more.length > 0) throw usageFault('Name one node, or none for a new one.')
    await whileChanging(directory, async () => void (await addNode(directory, name, say)))
  },
)

export const removeValidator = voteCommand(
  'name a validator; with --rpc, its address.',
  false,
  async (directory, [name, ...more], say) => {
    if (name === undefined || more.length > 0) throw usageFault('Name one validator, such as validator-4.')
    await whileChanging(directory, () => remove(directory, name, say))
  },
)

async function remove(directory: string, name: string, say: Say): Promise<void> {
  const node = nodeNamed(directory, name)
  const membership = await readMembership(nodesOf(directory))
  const { members, followers, validators } = membership
  const member = members.find((each) => each.node.name === name)
  if (member !== undefined) {
    say(requireQuorum(validators.length, -1, members.length - 1))
    await changeValidators(membership, member.address, false)
  } else if (!isValidator(node) || !followers.some((each) => each.node.name === name)) {
    throw refusal(`${name} is not a running validator. Start it, or vote on its address with --rpc.`)
  }
  markRemoved(node)
  writeTargets(directory)
  say(`${name} is no longer a validator and has stopped; its directory is kept.`)
  wantStopped(node)
  await stopNodes([node])
}

/** A command that changes a network on this machine, or with --rpc casts one vote on any network. */
function voteCommand(
  help: string,
  isAdd: boolean,
  change: (directory: string, operands: readonly string[], say: Say) => Promise<void>,
): Command {
  return {
    options: voteOptions,
    operands: { label: 'NODE', help, count: 0, more: true },
    async run({ own, operands, io }) {
      const say = (sentence: string) => io.err(`${sentence}\n`)
      const url = own.get(voteOptions.rpc)
      if (url !== undefined) return voteByRpc(url, operands, isAdd, say)
      await change(resolve(own.get(voteOptions.directory)), operands, say)
    },
  }
}

/** Casts the vote of one validator of any network. Its node includes it in the next block that it proposes. */
async function voteByRpc(url: string, operands: readonly string[], isAdd: boolean, say: Say): Promise<void> {
  const address = addressOf(operands)
  const endpoint = { url }
  const { protocol, validators } = await readSet(endpoint)
  if (validators.includes(address) === isAdd) {
    throw usageFault(`${address} is ${isAdd ? 'a validator already' : 'no validator'}.`)
  }
  // The running validators are not known here, and one vote alone changes nothing.
  say(requireQuorum(validators.length, isAdd ? 1 : -1, validators.length))
  await castVote(endpoint, protocol, address, isAdd)
  const needed = Math.floor(validators.length / 2) + 1
  say(`The node votes. The set changes when ${needed} of ${validators.length} validators have voted.`)
}

function addressOf([given, ...more]: readonly string[]): Address {
  if (given === undefined || more.length > 0) {
    throw usageFault('With --rpc, name the address to vote on, and nothing else.')
  }
  return parseAddress(given)
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

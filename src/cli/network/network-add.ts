import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { type Say, untilCaughtUp } from '#fleet/await-node.ts'
import { nodeNamed, nodesOf } from '#fleet/network-directory.ts'
import { writeNode } from '#fleet/new-node.ts'
import { pidOf } from '#fleet/node-process.ts'
import { startUnlessWatched } from '#fleet/start-node.ts'
import { changeValidators, readMembership, requireQuorum } from '#fleet/validators.ts'
import { whileChanging } from '#fleet/while-changing.ts'
import { voteOptions } from './network-options.ts'
import { voteByRpc } from './network-vote.ts'

export default defineCommand({
  options: voteOptions,
  operands: {
    label: 'NODE',
    help: 'a node of the network that is to become a validator, instead of a new one; with --rpc, the address to vote on.',
    count: 0,
    more: true,
  },
  async run({ own, operands, io }) {
    const say = (sentence: string) => io.err(`${sentence}\n`)
    const url = own.get(voteOptions.rpc)
    if (url !== undefined) return voteByRpc(url, operands, true, say)
    const [name, ...more] = operands
    if (more.length > 0) throw usageFault('Name one node, or none for a new one.')
    const directory = resolve(own.get(voteOptions.directory))
    await whileChanging(directory, () => add(directory, name, say))
  },
})

async function add(directory: string, name: string | undefined, say: Say): Promise<void> {
  const others = nodesOf(directory).filter((each) => each.name !== name)
  const { validators, members } = await readMembership(others)
  say(requireQuorum(validators.length, 1, members.length + 1))
  const node = name === undefined ? await make(directory, say) : nodeNamed(directory, name)
  if (pidOf(node) === undefined) startUnlessWatched(directory, node)
  await untilCaughtUp(node, others, say)
  const membership = await readMembership([...others, node])
  const follower = membership.followers.find((each) => each.node.name === node.name)
  if (follower !== undefined) {
    say(`${node.name} has caught up; the validators vote.`)
    await changeValidators(membership, follower.address, true)
  }
  say(`${node.name} is a validator.`)
}

async function make(directory: string, say: Say) {
  const { node, address } = await writeNode(directory)
  say(
    `${node.name} has the address ${address} and starts. If this command is interrupted, 'cairn network add ${node.name}' goes on.`,
  )
  return node
}

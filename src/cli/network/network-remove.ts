import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import type { Say } from '#fleet/await-node.ts'
import { isValidator, nodeNamed, nodesOf } from '#fleet/network-directory.ts'
import { wantStopped } from '#fleet/node-process.ts'
import { refusal } from '#fleet/plan-network.ts'
import { stopNodes } from '#fleet/stop-nodes.ts'
import { changeValidators, readMembership, requireQuorum } from '#fleet/validators.ts'
import { whileChanging } from '#fleet/while-changing.ts'
import { voteOptions } from './network-options.ts'
import { voteByRpc } from './network-vote.ts'

export default defineCommand({
  options: voteOptions,
  operands: {
    label: 'NODE',
    help: 'name a validator; with --rpc, its address.',
    count: 0,
    more: true,
  },
  async run({ own, operands, io }) {
    const say = (sentence: string) => io.err(`${sentence}\n`)
    const url = own.get(voteOptions.rpc)
    if (url !== undefined) return voteByRpc(url, operands, false, say)
    const [name, ...more] = operands
    if (name === undefined || more.length > 0) throw usageFault('Name one validator, such as validator-4.')
    const directory = resolve(own.get(voteOptions.directory))
    await whileChanging(directory, () => remove(directory, name, say))
  },
})

async function remove(directory: string, name: string, say: Say): Promise<void> {
  const node = nodeNamed(directory, name)
  const membership = await readMembership(nodesOf(directory))
  const { members, followers, validators } = membership
  const member = members.find((each) => each.node.name === name)
  if (member !== undefined) {
    say(requireQuorum(validators.length, -1, members.length - 1))
    await changeValidators(membership, member.address, false)
  } else if (!isValidator(node) || !followers.some((each) => each.node.name === name)) {
    throw refusal(`${name} is no validator that runs; start it, or vote on its address with --rpc.`)
  }
  say(`${name} is no validator any more and is stopped; its directory is kept.`)
  wantStopped(node)
  await stopNodes([node])
}

import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { untilCaughtUp } from '#fleet/await-node.ts'
import { nodesOf } from '#fleet/network-directory.ts'
import { writeNode } from '#fleet/new-node.ts'
import { startUnlessWatched } from '#fleet/start-node.ts'
import { changeValidators, readMembership, requireQuorum } from '#fleet/validators.ts'
import { ADDRESS_OPERAND, voteOptions } from './network-options.ts'
import { voteByRpc } from './network-vote.ts'

export default defineCommand({
  options: voteOptions,
  operands: ADDRESS_OPERAND,
  async run({ own, operands, io }) {
    const say = (sentence: string) => io.err(`${sentence}\n`)
    const url = own.get(voteOptions.rpc)
    if (url !== undefined) return voteByRpc(url, operands, true, say)
    const directory = resolve(own.get(voteOptions.directory))
    const others = nodesOf(directory)
    const { validators, members } = await readMembership(others)
    say(requireQuorum(validators.length, 1, members.length + 1))
    const { node, address } = await writeNode(directory)
    say(`${node.name} has the address ${address} and starts.`)
    startUnlessWatched(directory, node)
    await untilCaughtUp(node, others, say)
    say(`${node.name} has caught up; the validators vote.`)
    await changeValidators(await readMembership(others), address, true)
    say(`${node.name} is a validator.`)
  },
})

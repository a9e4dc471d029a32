import { defineCommand } from '#cli/command.ts'
import { nodeNamed } from '#fleet/network-directory.ts'
import { signalProcess, untilEnded, wantStopped } from '#fleet/node-process.ts'
import { NODE_OPERAND, networkOptions } from './network-options.ts'

export default defineCommand({
  options: networkOptions,
  operands: NODE_OPERAND,
  async run({ own, operands: [name], io }) {
    const node = nodeNamed(own.get(networkOptions.directory), name!)
    wantStopped(node)
    signalProcess(node, 'SIGKILL')
    await untilEnded([node])
    io.err(`${node.name} was killed; it stays down until 'cairn network start ${node.name}'.\n`)
  },
})

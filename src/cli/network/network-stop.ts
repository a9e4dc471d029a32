import { defineCommand } from '#cli/command.ts'
import { nodeNamed } from '#fleet/network-directory.ts'
import { wantStopped } from '#fleet/node-process.ts'
import { stopNodes } from '#fleet/stop-nodes.ts'
import { NODE_OPERAND, networkOptions } from './network-options.ts'

export default defineCommand({
  options: networkOptions,
  operands: NODE_OPERAND,
  async run({ own, operands: [name], io }) {
    const node = nodeNamed(own.get(networkOptions.directory), name!)
    wantStopped(node)
    await stopNodes([node])
    io.err(`${node.name} has stopped; it stays so until 'cairn network start ${node.name}'.\n`)
  },
})

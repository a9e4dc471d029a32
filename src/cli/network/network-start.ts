import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { nodeNamed } from '#fleet/network-directory.ts'
import { pidOf } from '#fleet/node-process.ts'
import { startUnlessWatched } from '#fleet/start-node.ts'
import { NODE_OPERAND, networkOptions } from './network-options.ts'

export default defineCommand({
  options: networkOptions,
  operands: NODE_OPERAND,
  run({ own, operands: [name], io }) {
    const directory = resolve(own.get(networkOptions.directory))
    const node = nodeNamed(directory, name!)
    const pid = pidOf(node)
    if (pid !== undefined) return io.err(`${node.name} runs already, as process ${pid}.\n`)
    if (!startUnlessWatched(directory, node)) {
      return io.err(`${node.name} runs already, or another command is starting it.\n`)
    }
    io.err(`${node.name} starts; 'cairn network logs ${node.name}' shows its log.\n`)
  },
})

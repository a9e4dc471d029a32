import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { nodeNamed } from '#fleet/network-directory.ts'
import { pidOf, startProcess, wantRunning } from '#fleet/node-process.ts'
import { SupervisorFile } from '#fleet/supervisor-file.ts'
import { NODE_OPERAND, networkOptions } from './network-options.ts'

export default defineCommand({
  options: networkOptions,
  operands: NODE_OPERAND,
  run({ own, operands: [name], io }) {
    const directory = resolve(own.get(networkOptions.directory))
    const node = nodeNamed(directory, name!)
    wantRunning(node)
    const pid = pidOf(node)
    if (pid !== undefined) return io.err(`${node.name} runs already, as process ${pid}.\n`)
    // Where somebody watches the network, the missing mark is all it takes.
    if (new SupervisorFile(directory).pid() === undefined) startProcess(node, process.argv[1]!)
    io.err(`${node.name} starts; 'cairn network logs ${node.name}' shows its log.\n`)
  },
})

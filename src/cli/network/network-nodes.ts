import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { nodeNamed, nodesOf } from '#fleet/network-directory.ts'
import { pidOf, signalProcess, stopNodes, untilEnded, wantStopped } from '#fleet/node-process.ts'
import { SupervisorFile, startUnlessWatched } from '#fleet/supervisor-file.ts'
import { NODE_OPERAND, networkOptions } from './network-options.ts'

export const startNode = defineCommand({
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

export const stopNode = defineCommand({
  options: networkOptions,
  operands: NODE_OPERAND,
  async run({ own, operands: [name], io }) {
    const node = nodeNamed(own.get(networkOptions.directory), name!)
    wantStopped(node)
    await stopNodes([node])
    io.err(`${node.name} has stopped; it stays so until 'cairn network start ${node.name}'.\n`)
  },
})

export const killNode = defineCommand({
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

export const stopNetwork = defineCommand({
  options: networkOptions,
  async run({ own, io }) {
    const directory = resolve(own.get(networkOptions.directory))
    const nodes = nodesOf(directory)
    const file = new SupervisorFile(directory)
    const supervisor = file.pid()
    // Stopped before the nodes, because it would restart them.
    if (supervisor !== undefined) process.kill(supervisor, 'SIGTERM')
    await stopNodes(nodes)
    await file.untilFree()
    // It may have started a node while it was being stopped.
    await stopNodes(nodes)
    io.err('The network has stopped.\n')
  },
})

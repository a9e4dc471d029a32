import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { nodesOf } from '#fleet/network-directory.ts'
import { stopNodes } from '#fleet/stop-nodes.ts'
import { SupervisorFile } from '#fleet/supervisor-file.ts'
import { networkOptions } from './network-options.ts'

export default defineCommand({
  options: networkOptions,
  async run({ own, io }) {
    const directory = resolve(own.get(networkOptions.directory))
    const nodes = nodesOf(directory)
    const file = new SupervisorFile(directory)
    const supervisor = file.pid()
    // Before the nodes: it would start them again.
    if (supervisor !== undefined) process.kill(supervisor, 'SIGTERM')
    await stopNodes(nodes)
    await file.untilFree()
    // It may have started one while it was being stopped.
    await stopNodes(nodes)
    io.err('The network has stopped.\n')
  },
})

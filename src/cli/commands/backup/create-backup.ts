import { formatBytes, tellBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { boolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { backUpNode } from '#node/upkeep/backup.ts'
import { systemClock } from '#platform/clock.ts'

const options = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory to make. It has this name when the backup is whole, and not before.',
  },
  withNodeKey: {
    flag: '--with-node-key',
    kind: boolean,
    default: false,
    help: 'Take the private key of the node along. Whoever reads the backup can then sign as this node.',
  },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const to = own.get(options.to)
    const { head, files } = await backUpNode(root(), {
      to,
      withKey: own.get(options.withNodeKey),
      madeAt: new Date(systemClock.wallMs()).toISOString(),
      signal: onInterrupt((name) => io.err(`Received ${name}; removing what is not finished.\n`)),
      onProgress: tellBytes(io),
    })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    io.out(`Backed up block ${head.number}, ${head.hash}, to ${to}: ${formatBytes(bytes)}.\n`)
  },
})

import { tellBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { defineOptions } from '#config/option.ts'
import { nodeOptions } from '#node/options.ts'
import { restoreNode } from '#node/upkeep/backup.ts'
import { fromOption } from './from-option.ts'

const options = defineOptions('Options', { from: fromOption })

const SILENT =
  'If this node is a validator, it signs nothing until the others have made a block since its start.\n'
const WITHOUT_KEY =
  'The node key is not in the backup: put it into the data directory as the file `key`, or name it with --node-private-key-file, before the node is started.\n'

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const settings = root()
    const from = own.get(options.from)
    const { manifest, hasKey, strayAudit } = await restoreNode(settings, {
      from,
      signal: onInterrupt((name) => io.err(`Received ${name}; removing what is not finished.\n`)),
      onProgress: tellBytes(io),
    })
    const { number, hash } = manifest.head
    io.out(`Restored block ${number}, ${hash}, to ${settings.get(nodeOptions.dataPath)}.\n${SILENT}`)
    if (!hasKey) io.out(WITHOUT_KEY)
    if (strayAudit !== undefined) {
      io.out(`The audit log of the backup is ${strayAudit}; this node writes another one, or none.\n`)
    }
  },
})

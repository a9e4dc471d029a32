import { formatBytes, tellBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { defineOptions } from '#config/option.ts'
import { verifyNodeBackup } from '#node/upkeep/backup.ts'
import { fromOption } from './from-option.ts'

const options = defineOptions('Options', { from: fromOption })

export default defineCommand({
  options,
  async run({ own, io }) {
    const from = own.get(options.from)
    const { head, files, madeAt, madeBy } = await verifyNodeBackup(from, {
      signal: onInterrupt((name) => io.err(`Received ${name}.\n`)),
      onProgress: tellBytes(io),
    })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    io.out(
      `${from} is whole: ${files.length} files, ${formatBytes(bytes)}, up to block ${head.number}, ${head.hash}; made by ${madeBy} at ${madeAt}.\n`,
    )
  },
})

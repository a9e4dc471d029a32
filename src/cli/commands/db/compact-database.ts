import { formatBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { defineOptions } from '#config/option.ts'
import { compactNode } from '#node/upkeep/database.ts'

const options = defineOptions('Options', {})

export default defineCommand({
  options,
  async run({ root, io }) {
    const tell = tellEachSecond(io)
    const { beforeBytes, afterBytes, isComplete } = await compactNode(root(), {
      signal: onInterrupt((name) => io.err(`Received ${name}; finishing the table under way.\n`)),
      onTable: (done, of) => tell(() => `Wrote ${done} of ${of} tables anew.`),
    })
    const rest = isComplete ? '' : ' Give the command again for the tables that are left.'
    io.out(`The files had ${formatBytes(beforeBytes)} and have ${formatBytes(afterBytes)}.${rest}\n`)
  },
})

import { formatBytes, tellBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { dataOptions } from '#config/data-directory.ts'
import { boolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { backUpNode, restoreNode, verifyNodeBackup } from '#node/upkeep/backup.ts'
import { systemClock } from '#platform/clock.ts'

const createOptions = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory to create; it appears when the backup is complete.',
  },
  base: {
    flag: '--base',
    kind: path,
    label: 'DIRECTORY',
    help: 'Earlier backup; its equal files are linked instead of copied.',
    details: 'Both must be on one file system. Each backup stays complete if the other is removed.',
  },
  withNodeKey: {
    flag: '--with-node-key',
    kind: boolean,
    default: false,
    help: 'Include the node key: readers of the backup can impersonate the node.',
  },
})

export const createBackup = defineCommand({
  options: createOptions,
  async run({ own, root, io }) {
    const to = own.get(createOptions.to)
    const { head, files, copiedBytes } = await backUpNode(root(), {
      to,
      base: own.get(createOptions.base),
      withKey: own.get(createOptions.withNodeKey),
      madeAt: new Date(systemClock.wallMs()).toISOString(),
      signal: onInterrupt((name) => io.err(`Received ${name}; removing what is not finished.\n`)),
      onProgress: tellBytes(io),
    })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const copied = own.get(createOptions.base) === undefined ? '' : `, ${formatBytes(copiedBytes)} copied`
    io.out(`Backed up block ${head.number}, ${head.hash}, to ${to}: ${formatBytes(bytes)}${copied}.\n`)
  },
})

const readOptions = defineOptions('Options', {
  from: {
    flag: '--from',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory that `cairn backup create` wrote.',
  },
})

const SILENT =
  'If this node is a validator, it signs nothing until the others have produced a block after its start.\n'
const WITHOUT_KEY =
  'The node key is not in the backup: put it into the data directory as the file `key`, or name it with --node-private-key-file, before the node is started.\n'

export const restoreBackup = defineCommand({
  options: readOptions,
  async run({ own, root, io }) {
    const settings = root()
    const from = own.get(readOptions.from)
    const { manifest, hasKey, strayAudit } = await restoreNode(settings, {
      from,
      signal: onInterrupt((name) => io.err(`Received ${name}; removing what is not finished.\n`)),
      onProgress: tellBytes(io),
    })
    const { number, hash } = manifest.head
    io.out(`Restored block ${number}, ${hash}, to ${settings.get(dataOptions.dataPath)}.\n${SILENT}`)
    if (!hasKey) io.out(WITHOUT_KEY)
    if (strayAudit !== undefined) {
      io.out(`The audit log of the backup is ${strayAudit}; this node writes another one, or none.\n`)
    }
  },
})

export const verifyBackup = defineCommand({
  options: readOptions,
  async run({ own, io }) {
    const from = own.get(readOptions.from)
    const { head, files, madeAt, madeBy } = await verifyNodeBackup(from, {
      signal: onInterrupt((name) => io.err(`Received ${name}.\n`)),
      onProgress: tellBytes(io),
    })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    io.out(
      `${from} is complete: ${files.length} files, ${formatBytes(bytes)}, up to block ${head.number}, ${head.hash}; made by ${madeBy} at ${madeAt}.\n`,
    )
  },
})

import { closeSync, openSync, writeSync } from 'node:fs'
import { exportBlocks } from '#chain/ledger/export-blocks.ts'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { long, oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { databaseOf } from '#node/ledger.ts'

const options = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    required: true,
    help: 'File to write; with --start-block it is added to, otherwise it is replaced.',
  },
  format: {
    flag: '--format',
    kind: oneOf(['RLP']),
    default: 'RLP',
    help: 'RLP: the encoded blocks one after another.',
  },
  startBlock: { flag: '--start-block', kind: long, help: 'First block to export.', defaultText: '0' },
  endBlock: {
    flag: '--end-block',
    kind: long,
    help: 'First block not to export.',
    defaultText: 'the one after the head',
  },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const to = own.get(options.to)
    const startBlock = own.get(options.startBlock)
    const endBlock = own.get(options.endBlock)
    requireRange(startBlock, endBlock)
    const database = databaseOf(root())
    let fd: number | undefined
    try {
      const exported = await exportBlocks(database, { startBlock: startBlock ?? 0, endBlock }, (encoded) => {
        // Not before there is a block: a mistake must not empty the file that is there.
        fd ??= openSync(to, startBlock === undefined ? 'w' : 'a')
        for (let offset = 0; offset < encoded.length; ) offset += writeSync(fd, encoded, offset)
      })
      io.out(`Exported ${exported} blocks to ${to}.\n`)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  },
})

function requireRange(startBlock: number | undefined, endBlock: number | undefined): void {
  const start = startBlock ?? 0
  if (start < 0) throw usageFault(`--start-block is a block number, and not ${start}.`)
  if (endBlock !== undefined && endBlock <= start) {
    throw usageFault(`--end-block (${endBlock}) must be greater than --start-block (${start}).`)
  }
}

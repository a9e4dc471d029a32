import { closeSync, openSync, writeSync } from 'node:fs'
import { exportBlocks } from '#chain/ledger/export-blocks.ts'
import { readBlockFile } from '#cli/block-file.ts'
import { defineCommand } from '#cli/command.ts'
import { importChain } from '#cli/import-chain.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, long, oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { databaseOf } from '#node/ledger.ts'

const format = {
  flag: '--format',
  kind: oneOf(['RLP']),
  default: 'RLP',
  help: 'RLP: concatenated encoded blocks.',
} as const

const exportOptions = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    required: true,
    help: 'File to write; --start-block appends to it.',
  },
  format,
  startBlock: { flag: '--start-block', kind: long, help: 'First block to export.', defaultText: '0' },
  endBlock: {
    flag: '--end-block',
    kind: long,
    help: 'First block not to export.',
    defaultText: 'the one after the head',
  },
})

export const exportToFile = defineCommand({
  options: exportOptions,
  async run({ own, root, io }) {
    const to = own.get(exportOptions.to)
    const startBlock = own.get(exportOptions.startBlock)
    const endBlock = own.get(exportOptions.endBlock)
    requireRange(startBlock, endBlock)
    const database = databaseOf(root())
    let fd: number | undefined
    try {
      const exported = await exportBlocks(database, { startBlock: startBlock ?? 0, endBlock }, (encoded) => {
        // Opened with the first block, so a mistake does not empty an existing file.
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

const importOptions = defineOptions('Options', {
  from: { flag: '--from', kind: path, help: 'File to import; more files may follow the options.' },
  format,
  startBlock: { flag: '--start-block', kind: long, default: 0, help: 'First block to import.' },
  endBlock: { flag: '--end-block', kind: long, help: 'First block not to import.' },
  skipPow: {
    flag: '--skip-pow-validation-enabled',
    kind: boolean,
    default: false,
    help: 'Skip proof-of-work verification, which Cairn does not support.',
  },
})

export const importFiles = defineCommand({
  options: importOptions,
  operands: { label: 'FILE', help: 'Files to import, in order.', count: 0, more: true },
  async run({ own, operands, root, io }) {
    const from = own.get(importOptions.from)
    const files = from === undefined ? operands : [from, ...operands]
    if (files.length === 0) throw usageFault('No files specified to import.')
    const settings = root()
    const endBlock = own.get(importOptions.endBlock)
    await importChain(settings, io, {
      ledger: readLedger(settings),
      blocks: blocksOf(files),
      startBlock: BigInt(own.get(importOptions.startBlock)),
      endBlock: endBlock === undefined ? undefined : BigInt(endBlock),
      skipsPow: own.get(importOptions.skipPow),
    })
  },
})

function* blocksOf(files: readonly string[]): Generator<Uint8Array, void, undefined> {
  for (const file of files) yield* readBlockFile(file)
}

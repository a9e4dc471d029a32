import { closeSync, openSync, writeSync } from 'node:fs'
import { exportBlocks } from '#chain/ledger/export-blocks.ts'
import { importBlocks } from '#chain/ledger/import-blocks.ts'
import { readBlockFile } from '#cli/block-file.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, long, oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { databaseOf } from '#node/ledger.ts'
import { readLogOptions, readReporting } from '#node/log-settings.ts'
import { keyForNewChain } from '#p2p/key/key-file.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { Threads } from '#platform/thread/threads.ts'
import { Fault } from '#types/fault.ts'

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
    const log = createLog(readLogOptions(settings))
    const ledger = readLedger(settings)
    const makeKey = keyForNewChain(settings)
    const endBlock = own.get(importOptions.endBlock)
    const tell = tellEachSecond(io)
    let headAtStart = 0
    const interruption = onInterrupt((signal) =>
      io.err(`Received ${signal}; finishing the blocks under way.\n`),
    )
    const threads = new Threads({ clock: systemClock, rootLog: log, reporting: readReporting(settings) })
    const { imported, known, number } = await importBlocks(
      ledger,
      blocksOf(files),
      {
        startBlock: BigInt(own.get(importOptions.startBlock)),
        endBlock: endBlock === undefined ? undefined : BigInt(endBlock),
        validation: own.get(importOptions.skipPow) ? 'light' : 'full',
        signal: interruption,
        onStart: (head) => {
          makeKey()
          headAtStart = head
          io.err(`The chain is at block ${head}.\n`)
        },
        onProgress: (progress) =>
          tell(() => `Imported ${progress.imported} blocks, up to block ${progress.number}.`),
      },
      { log: log.child('import'), threads },
    )
    if (interruption.aborted) {
      const sentence = `Interrupted. ${imported} blocks were imported and are kept; the chain is at block ${imported === 0 ? headAtStart : number}. Run the same command again to continue.`
      throw new Fault('INTERRUPTED', { sentence })
    }
    const there = known === 0 ? '' : ` ${known} were there already.`
    io.out(`Imported ${imported} blocks; the last one of the files is block ${number}.${there}\n`)
  },
})

function* blocksOf(files: readonly string[]): Generator<Uint8Array, void, undefined> {
  for (const file of files) yield* readBlockFile(file)
}

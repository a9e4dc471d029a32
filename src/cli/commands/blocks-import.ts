import { importBlocks } from '#chain/ledger/import-blocks.ts'
import { readBlockFile } from '#cli/block-file.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, long, oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { keyForNewChain } from '#node/key/node-key.ts'
import { readLedgerSettings } from '#node/ledger.ts'
import { readLogOptions, readReporting } from '#node/log-settings.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { Threads } from '#platform/thread/threads.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  from: { flag: '--from', kind: path, help: 'File to import; or name files after the options.' },
  format: {
    flag: '--format',
    kind: oneOf(['RLP']),
    default: 'RLP',
    help: 'RLP: the encoded blocks one after another.',
  },
  startBlock: { flag: '--start-block', kind: long, default: 0, help: 'First block to import.' },
  endBlock: { flag: '--end-block', kind: long, help: 'First block not to import.' },
  skipPow: {
    flag: '--skip-pow-validation-enabled',
    kind: boolean,
    default: false,
    help: 'Do not verify proof of work, of blocks that you trust; Cairn cannot verify it.',
  },
})

export default defineCommand({
  options,
  operands: { label: 'FILE', help: 'Files to import, in order.', count: 0, more: true },
  async run({ own, operands, root, io }) {
    const from = own.get(options.from)
    const files = from === undefined ? operands : [from, ...operands]
    if (files.length === 0) throw usageFault('No files specified to import.')
    const settings = root()
    const log = createLog(readLogOptions(settings))
    const ledger = readLedgerSettings(settings, process.env.CAIRN_ENGINE)
    const makeKey = keyForNewChain(settings)
    const endBlock = own.get(options.endBlock)
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
        startBlock: BigInt(own.get(options.startBlock)),
        endBlock: endBlock === undefined ? undefined : BigInt(endBlock),
        validation: own.get(options.skipPow) ? 'light' : 'full',
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
      const sentence = `Interrupted. ${imported} blocks were imported and are kept; the chain is at block ${imported === 0 ? headAtStart : number}. Give the same command again to go on from there.`
      throw new Fault('INTERRUPTED', { sentence })
    }
    const there = known === 0 ? '' : ` ${known} were there already.`
    io.out(`Imported ${imported} blocks; the last one of the files is block ${number}.${there}\n`)
  },
})

function* blocksOf(files: readonly string[]): Generator<Uint8Array, void, undefined> {
  for (const file of files) yield* readBlockFile(file)
}

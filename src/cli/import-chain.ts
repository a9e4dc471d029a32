/** Imports blocks of files for commands, with progress and interruption. */
import { importBlocks } from '#chain/ledger/import-blocks.ts'
import type { Ledger } from '#chain/ledger/ledger.ts'
import type { Settings } from '#config/settings.ts'
import { readLogOptions, readReporting } from '#node/log-settings.ts'
import { keyForNewChain } from '#p2p/key/key-file.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { Threads } from '#platform/thread/threads.ts'
import { Fault } from '#types/fault.ts'
import { tellEachSecond } from './each-second.ts'
import { onInterrupt } from './interrupt.ts'
import type { Io } from './io.ts'

export interface ChainImport {
  readonly ledger: Ledger
  readonly blocks: Iterable<Uint8Array>
  readonly startBlock: bigint
  readonly endBlock: bigint | undefined
  readonly skipsPow: boolean
}

export async function importChain(
  settings: Settings,
  io: Io,
  { ledger, blocks, startBlock, endBlock, skipsPow }: ChainImport,
): Promise<void> {
  const log = createLog(readLogOptions(settings))
  const makeKey = keyForNewChain(settings)
  const tell = tellEachSecond(io)
  let headAtStart = 0
  const signal = onInterrupt((name) => io.err(`Received ${name}; finishing the blocks under way.\n`))
  const threads = new Threads({ clock: systemClock, rootLog: log, reporting: readReporting(settings) })
  const { imported, known, number } = await importBlocks(
    ledger,
    blocks,
    {
      startBlock,
      endBlock,
      validation: skipsPow ? 'light' : 'full',
      signal,
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
  if (signal.aborted) {
    const sentence = `Interrupted. ${imported} blocks were imported and are kept; the chain is at block ${imported === 0 ? headAtStart : number}. Run the same command again to continue.`
    throw new Fault('INTERRUPTED', { sentence })
  }
  const there = known === 0 ? '' : ` ${known} were there already.`
  io.out(`Imported ${imported} blocks; the last one of the files is block ${number}.${there}\n`)
}

import { exportSnapshot } from '#chain/snapshot/export-snapshot.ts'
import { importSnapshot } from '#chain/snapshot/import-snapshot.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { openSnapshotFile, writeSnapshotFile } from '#cli/snapshot-file.ts'
import { hash, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { databaseOf } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { keyForNewChain } from '#p2p/key/key-file.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

const exportOptions = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'Output file; overwritten if it exists.' },
})

export const exportState = defineCommand({
  options: exportOptions,
  async run({ own, root, io }) {
    const to = own.get(exportOptions.to)
    const settings = root()
    const log = createLog(readLogOptions(settings)).child('state')
    const tell = tellEachSecond(io)
    const { head, accounts, slots } = await writeSnapshotFile(to, (write) =>
      exportSnapshot(databaseOf(settings), {
        write,
        log,
        onProgress: (progress) =>
          tell(
            () =>
              `Exported ${progress.headers} headers, ${progress.accounts} accounts and ${progress.slots} slots.`,
          ),
      }),
    )
    io.out(
      `Exported the state of block ${head.number}, ${head.hash}, to ${to}: ${accounts} accounts and ${slots} slots.\n`,
    )
  },
})

const importOptions = defineOptions('Options', {
  from: {
    flag: '--from',
    kind: path,
    required: true,
    help: 'File that `cairn state export` wrote.',
  },
  trustedBlockHash: {
    flag: '--trusted-block-hash',
    kind: hash,
    help: 'Trusted hash of the block of the state.',
    details:
      'Take it from a trusted node. It replaces the verification of validators from the genesis file, and is required if a contract names the validators or there are none.',
  },
})

export const importState = defineCommand({
  options: importOptions,
  async run({ own, root, io }) {
    const settings = root()
    const ledger = readLedger(settings)
    const makeKey = keyForNewChain(settings)
    const log = createLog(readLogOptions(settings)).child('state')
    const source = openSnapshotFile(own.get(importOptions.from))
    const signal = onInterrupt((name) => io.err(`Received ${name}; finishing what is under way.\n`))
    const tell = tellEachSecond(io)
    try {
      const { head, accounts, slots } = await importSnapshot(ledger, {
        source,
        trustedHash: own.get(importOptions.trustedBlockHash),
        signal,
        log,
        onStart: ({ number, hash }, from) => {
          makeKey()
          io.err(
            `The state is of block ${number}, ${hash}. Reading from byte ${from} of ${source.bytes} on.\n`,
          )
        },
        onProgress: (progress) =>
          tell(
            () =>
              `Read ${Math.floor((100 * progress.bytes) / source.bytes)} %: ${progress.headers} headers, ${progress.accounts} accounts, ${progress.slots} slots.`,
          ),
      }).catch(explainFullDisk)
      io.out(
        `Imported the state of block ${head.number}, ${head.hash}: ${accounts} accounts and ${slots} slots. The node continues from there.\n`,
      )
    } finally {
      source.close()
    }
  },
})

/** The store's message is for a running node, which retries by itself. A command does not. */
function explainFullDisk(error: unknown): never {
  if (!(error instanceof Fault) || error.kind !== 'DISK_FULL') throw error
  const sentence =
    'The disk is full. The imported part is kept: free disk space, and run the same command again to continue.'
  throw new Fault('DISK_FULL', { sentence, reason: error.data.sentence }, { cause: error })
}

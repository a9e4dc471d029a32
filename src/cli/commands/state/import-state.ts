import { importSnapshot } from '#chain/snapshot/import-snapshot.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { openSnapshotFile } from '#cli/snapshot-file.ts'
import { hash, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { keyForNewChain } from '#node/key/node-key.ts'
import { readLedgerSettings } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  from: {
    flag: '--from',
    kind: path,
    required: true,
    help: 'File to read, as `cairn state export` wrote it.',
  },
  trustedBlockHash: {
    flag: '--trusted-block-hash',
    kind: hash,
    help: 'The hash of the block of the state, from a node that you trust. The validators are then not followed from the genesis file. Needed where a contract names the validators, and where there are none.',
  },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const settings = root()
    const ledger = readLedgerSettings(settings, process.env.CAIRN_ENGINE)
    const makeKey = keyForNewChain(settings)
    const log = createLog(readLogOptions(settings)).child('state')
    const source = openSnapshotFile(own.get(options.from))
    const signal = onInterrupt((name) => io.err(`Received ${name}; finishing what is under way.\n`))
    const tell = tellEachSecond(io)
    try {
      const { head, accounts, slots } = await importSnapshot(ledger, {
        source,
        trustedHash: own.get(options.trustedBlockHash),
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
        `Imported the state of block ${head.number}, ${head.hash}: ${accounts} accounts and ${slots} slots. The node goes on from there.\n`,
      )
    } finally {
      source.close()
    }
  },
})

/** The store speaks to a node that goes on by itself; a command does not. */
function explainFullDisk(error: unknown): never {
  if (!(error instanceof Fault) || error.kind !== 'DISK_FULL') throw error
  const sentence =
    'The disk is full. What was imported is kept: make room, and give the same command again to go on.'
  throw new Fault('DISK_FULL', { sentence, reason: error.data.sentence }, { cause: error })
}

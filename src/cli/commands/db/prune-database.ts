import { pruneLedger } from '#chain/ledger/prune-ledger.ts'
import { ledgerOptions } from '#chain/options.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { usageFault } from '#config/faults.ts'
import { integer } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readLedgerSettings } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'

/** What the node itself needs to mend its trie after a power cut. */
const MIN_STATES = 257

const options = defineOptions('Options', {
  keepStates: {
    flag: '--keep-states',
    kind: integer({ min: MIN_STATES }),
    label: 'NUMBER',
    help: 'How many states to keep, that of the head included. Only with --data-storage-format=BONSAI; FOREST keeps all.',
  },
  tracesBefore: {
    flag: '--traces-before',
    kind: integer({ min: 0 }),
    label: 'BLOCK',
    help: 'Remove the stored call traces of blocks before this one. Where their states are kept, `cairn traces rebuild` brings them back.',
  },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const settings = root()
    const [keepStates, tracesBefore] = [own.get(options.keepStates), own.get(options.tracesBefore)]
    if (keepStates === undefined && tracesBefore === undefined)
      throw usageFault('Nothing is to be removed: give --keep-states, --traces-before, or both.')
    if (keepStates !== undefined && settings.get(ledgerOptions.dataStorageFormat) === 'FOREST')
      throw usageFault(
        'A database of --data-storage-format=FOREST keeps all states, and none can be removed from it. To have fewer, begin a BONSAI node with `cairn state export` and `state import`.',
      )
    const ledger = readLedgerSettings(settings, process.env.CAIRN_ENGINE)
    const tell = tellEachSecond(io)
    const signal = onInterrupt((name) => io.err(`Received ${name}; finishing what is under way.\n`))
    const { lowestState, removedTraces, tracedFrom } = await pruneLedger(ledger, {
      log: createLog(readLogOptions(settings)).child('db'),
      keepStates,
      tracesBefore,
      signal,
      onStates: (lowest, target) => tell(() => `Removed states up to block ${lowest} of ${target}.`),
      onTraces: (removed) => tell(() => `Removed ${removed} entries of traces.`),
    })
    if (keepStates !== undefined) io.out(`States are kept from block ${lowestState} on.\n`)
    if (tracesBefore !== undefined)
      io.out(`Removed ${removedTraces} entries of traces; they are kept from block ${tracedFrom} on.\n`)
    io.out(
      signal.aborted
        ? 'Interrupted: give the command again to go on.\n'
        : 'The files become smaller with `cairn db compact`.\n',
    )
  },
})

import { checkLedger } from '#chain/ledger/check-ledger.ts'
import { pruneLedger } from '#chain/ledger/prune-ledger.ts'
import { ledgerOptions } from '#chain/options.ts'
import { formatBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, integer } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { compactNode, statsOfNode } from '#node/upkeep/database.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

const checkOptions = defineOptions('Options', {
  fromBlock: {
    flag: '--from-block',
    kind: integer({ min: 0 }),
    label: 'NUMBER',
    default: 0,
    help: 'First block to check; files and state are always checked.',
  },
})

const WHAT_TO_DO =
  'This database must not be used. Restore a backup (cairn backup restore), or remove the directory of the database and import or sync the chain again.'

export const checkDatabase = defineCommand({
  options: checkOptions,
  async run({ own, root, io }) {
    const settings = root()
    const log = createLog(readLogOptions(settings)).child('db')
    const ledger = readLedger(settings)
    const tell = tellEachSecond(io)
    const { findings, stoppedAt, head } = await checkLedger(ledger, {
      log,
      fromBlock: own.get(checkOptions.fromBlock),
      signal: onInterrupt((name) => io.err(`Received ${name}.\n`)),
      onProgress: (what, done, of) =>
        tell(() => (of === undefined ? `Checked ${done} ${what}.` : `Checked ${what}: ${done} of ${of}.`)),
    })
    for (const finding of findings) io.out(`${finding}\n`)
    if (findings.length > 0) throw new Fault('STORE_CORRUPT', { sentence: WHAT_TO_DO })
    if (stoppedAt !== undefined) {
      const sentence = `Interrupted; nothing was found up to block ${stoppedAt - 1}. Continue with --from-block=${stoppedAt}.`
      throw new Fault('INTERRUPTED', { sentence })
    }
    io.out(`The database is intact: all blocks up to ${head}, their indexes, and the state with its root.\n`)
  },
})

export const compactDatabase = defineCommand({
  options: {},
  async run({ root, io }) {
    const tell = tellEachSecond(io)
    const { beforeBytes, afterBytes, isComplete } = await compactNode(root(), {
      signal: onInterrupt((name) => io.err(`Received ${name}; finishing the table under way.\n`)),
      onTable: (done, of) => tell(() => `Rewrote ${done} of ${of} tables.`),
    })
    const rest = isComplete ? '' : ' Give the command again for the tables that are left.'
    io.out(`The files had ${formatBytes(beforeBytes)} and have ${formatBytes(afterBytes)}.${rest}\n`)
  },
})

/** The node needs these states to repair its trie after a power cut. */
const MIN_STATES = 257

const pruneOptions = defineOptions('Options', {
  keepStates: {
    flag: '--keep-states',
    kind: integer({ min: MIN_STATES }),
    label: 'NUMBER',
    help: 'States to keep, including the head; BONSAI only.',
  },
  tracesBefore: {
    flag: '--traces-before',
    kind: integer({ min: 0 }),
    label: 'BLOCK',
    help: 'Remove stored call traces before this block.',
    details: 'If the states are kept, `cairn traces rebuild` restores the traces.',
  },
})

export const pruneDatabase = defineCommand({
  options: pruneOptions,
  async run({ own, root, io }) {
    const settings = root()
    const [keepStates, tracesBefore] = [own.get(pruneOptions.keepStates), own.get(pruneOptions.tracesBefore)]
    if (keepStates === undefined && tracesBefore === undefined)
      throw usageFault('Nothing is to be removed: give --keep-states, --traces-before, or both.')
    if (keepStates !== undefined && settings.get(ledgerOptions.dataStorageFormat) === 'FOREST')
      throw usageFault(
        'A database of --data-storage-format=FOREST keeps all states, and none can be removed from it. To have fewer, begin a BONSAI node with `cairn state export` and `state import`.',
      )
    const ledger = readLedger(settings)
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
        ? 'Interrupted: run the command again to continue.\n'
        : 'The files become smaller with `cairn db compact`.\n',
    )
  },
})

const statsOptions = defineOptions('Options', {
  json: { flag: '--json', kind: boolean, default: false, help: 'Print one JSON object.' },
})

const NAME_WIDTH = 22
const NUMBER_WIDTH = 14

export const databaseStats = defineCommand({
  options: statsOptions,
  async run({ own, root, io }) {
    const tell = tellEachSecond(io)
    const stats = await statsOfNode(root(), (rows) => tell(() => `Read ${rows} rows.`))
    if (own.get(statsOptions.json)) return io.out(`${JSON.stringify(stats)}\n`)
    const line = (name: string, rows: string, bytes: string) =>
      `${name.padEnd(NAME_WIDTH)}${rows.padStart(NUMBER_WIDTH)}${bytes.padStart(NUMBER_WIDTH)}\n`
    io.out(line('Table', 'rows', 'bytes'))
    for (const { table, rows, bytes } of stats.tables) io.out(line(table, `${rows}`, formatBytes(bytes)))
    io.out(`Files: ${formatBytes(stats.fileBytes)}.\n`)
  },
})

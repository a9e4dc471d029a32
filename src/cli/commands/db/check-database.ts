import { checkLedger } from '#chain/ledger/check-ledger.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { integer } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readLedgerSettings } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  fromBlock: {
    flag: '--from-block',
    kind: integer({ min: 0 }),
    label: 'NUMBER',
    default: 0,
    help: 'First block to look at, to go on where a check was interrupted. Files and the state are always looked at.',
  },
})

const WHAT_TO_DO =
  'This database must not be used. Restore a backup (cairn backup restore), or remove the directory of the database and import or sync the chain again.'

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const settings = root()
    const log = createLog(readLogOptions(settings)).child('db')
    const ledger = readLedgerSettings(settings, process.env.CAIRN_ENGINE)
    const tell = tellEachSecond(io)
    const { findings, stoppedAt, head } = await checkLedger(ledger, {
      log,
      fromBlock: own.get(options.fromBlock),
      signal: onInterrupt((name) => io.err(`Received ${name}.\n`)),
      onProgress: (what, done, of) =>
        tell(() => (of === undefined ? `Checked ${done} ${what}.` : `Checked ${what}: ${done} of ${of}.`)),
    })
    for (const finding of findings) io.out(`${finding}\n`)
    if (findings.length > 0) throw new Fault('STORE_CORRUPT', { sentence: WHAT_TO_DO })
    if (stoppedAt !== undefined) {
      const sentence = `Interrupted; nothing was found up to block ${stoppedAt - 1}. Go on with --from-block=${stoppedAt}.`
      throw new Fault('INTERRUPTED', { sentence })
    }
    io.out(`The database is whole: all blocks up to ${head}, their indexes, and the state with its root.\n`)
  },
})

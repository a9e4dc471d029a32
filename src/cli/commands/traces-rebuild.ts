import { rebuildLedgerTraces } from '#chain/ledger/rebuild-ledger-traces.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { defineOptions } from '#config/option.ts'
import { readLedgerSettings } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'

const options = defineOptions('Options', {})

export default defineCommand({
  options,
  async run({ root, io }) {
    const settings = root()
    const log = createLog(readLogOptions(settings))
    const ledger = readLedgerSettings(settings, process.env.CAIRN_ENGINE)
    const tell = tellEachSecond(io)
    let isStopped = false
    const stop = (): void => {
      isStopped = true
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    try {
      const { rebuilt, from, end } = await rebuildLedgerTraces(ledger, {
        log: log.child('traces'),
        isStopped: () => isStopped,
        onProgress: (lowest) => tell(() => `Traces are there from block ${lowest} on.`),
      })
      io.out(`Added the traces of ${rebuilt} blocks; they are there from block ${from} on.${ENDINGS[end]}\n`)
    } finally {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    }
  },
})

const ENDINGS = {
  complete: '',
  stopped: ' Run the command again to go on.',
  'state-missing': ' The states before it are not kept any more (--data-storage-format=FOREST keeps them).',
} as const

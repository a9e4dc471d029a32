import { rebuildLedgerTraces } from '#chain/ledger/rebuild-ledger-traces.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'

export default defineCommand({
  options: {},
  async run({ root, io }) {
    const settings = root()
    const log = createLog(readLogOptions(settings))
    const ledger = readLedger(settings)
    const tell = tellEachSecond(io)
    const interruption = onInterrupt(() => {})
    const { rebuilt, from, end } = await rebuildLedgerTraces(ledger, {
      log: log.child('traces'),
      isStopped: () => interruption.aborted,
      onProgress: (lowest) => tell(() => `Traces are there from block ${lowest} on.`),
    })
    io.out(`Added the traces of ${rebuilt} blocks; they are there from block ${from} on.${ENDINGS[end]}\n`)
  },
})

const ENDINGS = {
  complete: '',
  stopped: ' Run the command again to continue.',
  'state-missing': ' The states before it are not kept any more (--data-storage-format=FOREST keeps them).',
} as const

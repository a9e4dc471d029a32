import { exportSnapshot } from '#chain/snapshot/export-snapshot.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { writeSnapshotFile } from '#cli/snapshot-file.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { databaseOf } from '#node/ledger.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { createLog } from '#platform/log/log.ts'

const options = defineOptions('Options', {
  to: { flag: '--to', kind: path, required: true, help: 'File to write; one that is there is replaced.' },
})

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const to = own.get(options.to)
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

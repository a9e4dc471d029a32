/**
 * Saves entries of the signature log under strace, and records the acknowledged ones in the marks file. Argument:
 * folder.
 */
import { join } from 'node:path'
import { entryOf, openLog, SAVES } from '../signature-log-script.ts'
import { openMarks } from './marks.ts'

const [folder] = process.argv.slice(2) as [string]
const mark = openMarks(folder)
let log = await openLog(join(folder, 'votes'))
mark({ round: -1 })
for (let round = 0; round < SAVES; round++) {
  await log.save(entryOf(round))
  mark({ round })
  if (round % 10 !== 9) continue
  await log.close()
  log = await openLog(join(folder, 'votes'))
}
await log.close()

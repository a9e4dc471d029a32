/**
 * Saves entries of the signature log under strace, and records the acknowledged ones in the marks file. Argument:
 * folder.
 */
import { join } from 'node:path'
import { openVotes, recordOf, SAVES } from '../votes-script.ts'
import { openMarks } from './marks.ts'

const [folder] = process.argv.slice(2) as [string]
const mark = openMarks(folder)
let votes = await openVotes(join(folder, 'votes'))
mark({ round: -1 })
for (let round = 0; round < SAVES; round++) {
  await votes.save(recordOf(round))
  mark({ round })
  if (round % 10 !== 9) continue
  await votes.close()
  votes = await openVotes(join(folder, 'votes'))
}
await votes.close()

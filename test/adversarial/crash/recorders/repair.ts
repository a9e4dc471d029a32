/** Damages two of the segments of a chain, and replaces them by copies under strace. Argument: folder. */
import { cpSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fillLedger, NEVER } from '#chain/ledger/history.fixture.ts'
import { repairHistory } from '#chain/ledger/repair-history.ts'
import { openMarks } from './marks.ts'

const [folder] = process.argv.slice(2) as [string]
const mark = openMarks(folder)
const path = join(folder, 'database')
const { ledger } = await fillLedger(path)
// Outside the traced folder: the source of a repair is only read.
const copies = `${folder}-copies`
cpSync(join(path, 'segments'), copies, { recursive: true })
truncateSync(join(path, 'segments', '000000000008.segment'), 100)
rmSync(join(path, 'segments', '000000000024.segment'))
mark('damaged')
await Array.fromAsync(repairHistory(ledger, copies, { signal: NEVER, onBytes: () => {} }))
mark('repaired')

/** Grows a chain and moves its old blocks to segments under strace, and marks the steps. Argument: folder. */
import { join } from 'node:path'
import { openTestChain } from '#chain/chain.fixture.ts'
import { growChain, moverOf } from '#chain/write/move-history.fixture.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { openMarks } from './marks.ts'

const [folder, blocks] = process.argv.slice(2) as [string, string]
const mark = openMarks(folder)
const kv = await openLevelKv(join(folder, 'database'), { createIfMissing: true })
const chain = await openTestChain({}, kv)
await growChain(chain, Number(blocks))
mark('grown')
await moverOf(chain).moveAll()
mark('moved')
await chain.close()

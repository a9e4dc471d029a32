/*
 * Cuts the power before and after the syncs of a move of blocks to segments, on a disk that loses or tears unsynced data.
 * The chain must open and answer as before, and the move continues without losing or repeating anything. Does the same
 * during a repair of segments.
 *
 * CAIRN_CRASH_SEED repeats a run; CAIRN_CRASH_MOVES sets the number of cuts, `all` cuts at every moment.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestChain } from '#chain/chain.fixture.ts'
import { ledgerAt, NEVER } from '#chain/ledger/history.fixture.ts'
import { repairHistory } from '#chain/ledger/repair-history.ts'
import {
  allAnswers,
  blocksInDatabase,
  growChain,
  HOT_BLOCKS,
  moverOf,
  SEGMENT_BLOCKS,
} from '#chain/write/move-history.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { replayTrace } from './replay.ts'
import { NO_TRACE, traced } from './traced.ts'

const CUTS = process.env.CAIRN_CRASH_MOVES ?? '12'
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
/** Five segments, of which four get an index of their hashes. */
const BLOCKS = 46
const MOVED = Math.floor((BLOCKS + 1 - HOT_BLOCKS) / SEGMENT_BLOCKS) * SEGMENT_BLOCKS

test(`after ${CUTS} power cuts during a move no block is lost or repeated (CAIRN_CRASH_SEED=${SEED})`, {
  skip: NO_TRACE,
}, async (context) => {
  const same = await openTestChain()
  await growChain(same, BLOCKS)
  const expected = await allAnswers(same.store)
  const { trace, root, folder } = traced(context, 'segments', [`${BLOCKS}`])
  const random = createSeededRandom(SEED)
  const moments: number[] = []
  let count = 0
  for await (const { marks } of replayTrace<string>(trace, root)) {
    if (marks.includes('grown')) moments.push(count)
    count++
  }
  const chosen = CUTS === 'all' ? new Set(moments) : new Set<number>()
  while (CUTS !== 'all' && chosen.size < Math.min(Number(CUTS), moments.length))
    chosen.add(moments[random.randomBelow(moments.length)]!)
  const marksFound: number[] = []
  let index = 0
  for await (const { disk, place } of replayTrace<string>(trace, root)) {
    if (!chosen.has(index++)) continue
    const path = join(folder, 'cut')
    rmSync(path, { recursive: true, force: true })
    disk.cut(random, path, (name) => name.endsWith('.log'))
    try {
      marksFound.push(await requireSame(join(path, 'database'), expected))
    } catch (error) {
      throw new Error(`cut at moment ${index - 1} of ${count}, ${place}`, { cause: error })
    }
  }
  context.diagnostic(
    `cuts at ${chosen.size} of ${moments.length} moments; moved then: ${marksFound.join(' ')}`,
  )
})

test(`after ${CUTS} power cuts during a repair every segment is intact, or damaged and repaired again (CAIRN_CRASH_SEED=${SEED})`, {
  skip: NO_TRACE,
}, async (context) => {
  const { trace, root, folder } = traced(context, 'repair', [])
  const copies = `${root}-copies`
  const random = createSeededRandom(SEED)
  const moments: number[] = []
  let count = 0
  for await (const { marks } of replayTrace<string>(trace, root)) {
    if (marks.includes('damaged')) moments.push(count)
    count++
  }
  const chosen = CUTS === 'all' ? new Set(moments) : new Set<number>()
  while (CUTS !== 'all' && chosen.size < Math.min(Number(CUTS), moments.length))
    chosen.add(moments[random.randomBelow(moments.length)]!)
  const repaired: number[] = []
  let index = 0
  for await (const { disk } of replayTrace<string>(trace, root)) {
    if (!chosen.has(index++)) continue
    const path = join(folder, 'cut')
    rmSync(path, { recursive: true, force: true })
    disk.cut(random, path, (name) => name.endsWith('.log'))
    const ledger = ledgerAt(join(path, 'database'), 'FOREST')
    const run = { signal: NEVER, onBytes: () => {} }
    const repairs = await Array.fromAsync(repairHistory(ledger, copies, run))
    assert.ok(repairs.length <= 2 && repairs.every(({ failure }) => failure === undefined))
    repaired.push(repairs.length)
    const segments = join(path, 'database', 'segments')
    for (const name of readdirSync(copies))
      assert.deepEqual(readFileSync(join(segments, name)), readFileSync(join(copies, name)), name)
  }
  context.diagnostic(
    `cuts at ${chosen.size} of ${moments.length} moments; repaired afterwards: ${repaired.join(' ')}`,
  )
})

/** Returns the end of the moved blocks after the cut. */
async function requireSame(database: string, expected: readonly string[]): Promise<number> {
  const chain = await openTestChain({}, await openLevelKv(database, { createIfMissing: false }))
  try {
    const end = chain.store.past.mark()?.end ?? 0
    assert.deepEqual(await allAnswers(chain.store), expected)
    await moverOf(chain).moveAll()
    assert.deepEqual(await allAnswers(chain.store), expected)
    const hot = Array.from({ length: BLOCKS + 1 - MOVED }, (_, each) => MOVED + each)
    assert.deepEqual(await blocksInDatabase(chain), [0, ...hot])
    assert.deepEqual(
      readdirSync(join(database, 'segments')).filter((name) => !name.endsWith('.segment')),
      ['000000000000-000000000032.hashes'],
    )
    return end
  } finally {
    await chain.close()
  }
}

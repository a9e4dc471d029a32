import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { keep } from '#chain/archive/archive.fixture.ts'
import { silentLog } from '#chain/chain.fixture.ts'
import { allAnswers } from '#chain/write/move-history.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { inspect, makeLedger, NEVER, openIn } from './history.fixture.ts'
import { dropHistory } from './history.ts'
import type { Ledger } from './ledger.ts'
import { repairHistory } from './repair-history.ts'

const FIRST = '000000000000.segment'
const SECOND = '000000000008.segment'
const THIRD = '000000000016.segment'
const LAST = '000000000024.segment'

function copyOf(t: TestContext, path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-repair-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(path, 'segments'), join(folder, 'segments'), { recursive: true })
  return folder
}

/** The names of the damaged segments, and why each was not repaired. */
async function repair(ledger: Ledger, from: string, signal = NEVER) {
  const repairs = await Array.fromAsync(repairHistory(ledger, from, { signal, onBytes: () => {} }))
  return repairs.map(({ segment, failure }) => [segment.name, failure])
}

function flip(file: string, at = 40): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 1
  writeFileSync(file, bytes)
}

test('flipped, cut and missing segments are replaced, also next to a node, which answers again', async (t) => {
  const { ledger, path, answers } = await makeLedger(t)
  const from = copyOf(t, path)
  const segments = join(path, 'segments')
  const chain = await openIn(path)
  assert.deepEqual(await allAnswers(chain.store), answers)
  const damage = () => {
    flip(join(segments, SECOND))
    writeFileSync(join(segments, THIRD), readFileSync(join(segments, THIRD)).subarray(0, -1))
  }
  damage()
  assert.deepEqual(await repair(ledger, from), [
    [THIRD, undefined],
    [SECOND, undefined],
  ])
  assert.deepEqual(await allAnswers(chain.store), answers)
  await chain.close()
  damage()
  rmSync(join(segments, LAST))
  writeFileSync(join(segments, `${SECOND}.copy`), 'remains of a killed attempt')
  assert.deepEqual(
    (await repair(ledger, join(from, 'segments'))).map(([name]) => name),
    [LAST, THIRD, SECOND],
  )
  assert.deepEqual(await repair(ledger, from), [])
  assert.ok((await inspect(ledger, true)).every(({ problem }) => problem === undefined))
  for (const name of readdirSync(segments))
    assert.deepEqual(readFileSync(join(segments, name)), readFileSync(join(from, 'segments', name)), name)
})

test('a damaged outline is replaced by a copy of the segment', async (t) => {
  const { ledger, path, answers } = await makeLedger(t)
  const from = copyOf(t, path)
  await keep(path, (await startFakeS3(t)).place, 0)
  for (const name of [FIRST, THIRD, LAST])
    copyFileSync(join(from, 'segments', name), join(path, 'segments', name))
  const outline = SECOND.replace('segment', 'outline')
  flip(join(path, 'segments', outline))
  assert.deepEqual(await repair(ledger, from), [[outline, undefined]])
  const chain = await openIn(path)
  t.after(() => chain.close())
  assert.deepEqual(await allAnswers(chain.store), answers)
})

test('a copy that is missing, damaged, of another range or without contents is refused and changes nothing', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const from = copyOf(t, path)
  const [file, copy] = [join(path, 'segments', SECOND), join(from, 'segments', SECOND)]
  const good = readFileSync(copy)
  flip(file)
  const before = readFileSync(file)
  const refusal = async () => {
    const [[name, failure] = []] = await repair(ledger, from)
    assert.equal(name, SECOND)
    assert.deepEqual(readFileSync(file), before)
    assert.ok(!readdirSync(join(path, 'segments')).some((name) => name.endsWith('.copy')))
    return failure ?? ''
  }
  rmSync(copy)
  assert.match(await refusal(), /is missing/)
  writeFileSync(copy, good)
  flip(copy, 60)
  assert.match(await refusal(), /the chunk at byte \d+ changed/)
  copyFileSync(join(from, 'segments', THIRD), copy)
  assert.match(await refusal(), /blocks of another chain or range/)
  const other = await makeLedger(t)
  await dropHistory(other.ledger, { log: silentLog, keep: 0, signal: NEVER, onSegment: () => {} })
  copyFileSync(join(other.path, 'segments', SECOND), copy)
  assert.match(await refusal(), /only the header of block 8/)
  writeFileSync(copy, good)
  const stopped = new AbortController()
  const run = { signal: stopped.signal, onBytes: () => stopped.abort() }
  await Array.fromAsync(repairHistory(ledger, from, run))
  assert.deepEqual(readFileSync(file), before)
  assert.deepEqual(await repair(ledger, from), [[SECOND, undefined]])
})

test('a pruned segment is repaired with headers or with complete blocks', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const [complete, pruned] = [copyOf(t, path), await makeLedger(t)]
  for (const each of [ledger, pruned.ledger])
    await dropHistory(each, { log: silentLog, keep: 15, signal: NEVER, onSegment: () => {} })
  for (const from of [pruned.path, complete]) {
    rmSync(join(path, 'segments', SECOND))
    assert.deepEqual(await repair(ledger, from), [[SECOND, undefined]])
  }
  assert.ok((await inspect(ledger, true)).every(({ problem }) => problem === undefined))
})

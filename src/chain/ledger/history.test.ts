import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { extend, GENESIS_TEXT, openTestChain, silentLog } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { allAnswers, growChain, moverOf } from '#chain/write/move-history.fixture.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { InspectedSegment } from '#store/segments/inspect-segments.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { checkLedger } from './check-ledger.ts'
import { dropHistory, inspectHistory } from './history.ts'
import type { Ledger } from './ledger.ts'

const signal = new AbortController().signal
const UNAVAILABLE = { kind: 'HISTORY_UNAVAILABLE' }

async function openIn(path: string): Promise<Chain> {
  return openTestChain({}, await openLevelKv(path, { createIfMissing: true }))
}

/** A closed chain of 38 blocks with the segments 0 to 7, 8 to 15, 16 to 23 and 24 to 31. */
async function makeLedger(t: TestContext): Promise<{ ledger: Ledger; path: string; answers: string[] }> {
  const path = mkdtempSync(join(tmpdir(), 'cairn-history-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const chain = await openIn(path)
  await growChain(chain, 38)
  const answers = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  const { format } = chain.store
  await chain.close()
  const verdict = parseGenesis(GENESIS_TEXT)
  assert.ok(verdict.ok)
  const writer = { path, historyBlocks: 512, ledger: { dataStorageFormat: format } }
  return { ledger: { genesis: verdict.genesis, writer: writer as unknown as WriterConfig }, path, answers }
}

async function inspect(ledger: Ledger, isVerified: boolean): Promise<InspectedSegment[]> {
  return Array.fromAsync(inspectHistory(ledger, isVerified ? { signal, onBytes: () => {} } : undefined))
}

function drop(ledger: Ledger, keep: number, stopped = signal): Promise<number> {
  return dropHistory(ledger, { log: silentLog, keep, signal: stopped, onSegment: () => {} })
}

test('dropped blocks keep their headers, and the answers about all others stay', async (t) => {
  const { ledger, path, answers } = await makeLedger(t)
  const complete = await inspect(ledger, true)
  assert.equal(await drop(ledger, 20), 16)
  const segments = await inspect(ledger, true)
  assert.deepEqual(
    segments.map(({ first, last, hasOnlyHeaders, problem }) => [first, last, hasOnlyHeaders, problem]),
    [0, 8, 16, 24].map((first) => [first, first + 7, first < 16, undefined]),
  )
  assert.ok(segments[0]!.bytes < complete[0]!.bytes && segments[3]!.bytes === complete[3]!.bytes)
  const chain = await openIn(path)
  t.after(() => chain.close())
  const lookup = new Lookup(chain.store)
  for (let number = 0; number <= 38; number++) {
    const { hash, body, receipts } = JSON.parse(answers[number]!)
    assert.equal(lookup.header(hash)?.header.number, BigInt(number))
    assert.equal(chain.store.numberOf(hashToBytes(hash)), number)
    const isDropped = number > 0 && number < 16
    if (isDropped) {
      assert.throws(() => lookup.block(number), UNAVAILABLE)
      assert.throws(() => lookup.receipts(hash), UNAVAILABLE)
    } else {
      assert.equal(formatData(lookup.encodedBody(hash)!), body)
      assert.equal(number === 0 || formatData(lookup.encodedReceipts(hash)!) === receipts, true)
    }
  }
  const logs = lookup.logs({ fromBlock: 3, toBlock: 38 }, { addresses: [], topics: [] })
  await assert.rejects(Array.fromAsync(logs), UNAVAILABLE)
  for (let block = 0; block < 10; block++) await extend(chain)
  assert.equal(await moverOf(chain).moveAll(), true)
  assert.equal(chain.store.past.mark()?.end, 40)
})

test('a chain with dropped blocks is intact, and a higher number restores nothing', async (t) => {
  const { ledger } = await makeLedger(t)
  assert.equal(await drop(ledger, 20), 16)
  assert.equal(await drop(ledger, 1_000), 16)
  const run = { log: silentLog, fromBlock: 0, signal, onProgress: () => {} }
  assert.deepEqual(await checkLedger(ledger, run), { findings: [], stoppedAt: undefined, head: 38 })
  assert.equal(await drop(ledger, 0), 32)
})

test('an interrupted drop has its mark, and the next one continues', async (t) => {
  const { ledger, path } = await makeLedger(t)
  assert.equal(await drop(ledger, 1, AbortSignal.abort()), 32)
  const headers = async () => (await inspect(ledger, false)).map(({ hasOnlyHeaders }) => hasOnlyHeaders)
  assert.deepEqual(await headers(), [true, false, false, false])
  const reader = await openStoreReader({ path, historyBlocks: 512 })
  assert.throws(() => new Lookup(reader).block(20), UNAVAILABLE)
  await reader.close()
  writeFileSync(join(path, 'segments', '000000000008.segment.part'), 'remains of a killed attempt')
  assert.equal(await drop(ledger, 1), 32)
  assert.deepEqual(await headers(), [true, true, true, true])
})

test('a flipped byte, a missing file and a file of another range are reported with file and remedy', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const at = (first: string) => join(path, 'segments', `${first}.segment`)
  const bytes = readFileSync(at('000000000008'))
  bytes[40]! ^= 1
  writeFileSync(at('000000000008'), bytes)
  rmSync(at('000000000016'))
  copyFileSync(at('000000000000'), at('000000000024'))
  const problems = (await inspect(ledger, true)).map(({ problem }) => problem)
  assert.equal(problems[0], undefined)
  assert.match(
    problems[1]!,
    /000000000008\.segment is damaged: the chunk at byte \d+ changed\. Replace it with a copy/,
  )
  assert.match(problems[2]!, /000000000016\.segment is damaged: the file is missing\. Replace it/)
  assert.match(problems[3]!, /000000000024\.segment is damaged: it has blocks of another chain or range/)
  // A list reads no chunk, so it does not see the byte.
  assert.deepEqual(
    (await inspect(ledger, false)).map(({ problem }) => problem === undefined),
    [true, true, false, false],
  )
})

test('every flipped byte of a segment is found', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const file = join(path, 'segments', '000000000016.segment')
  const good = readFileSync(file)
  const step = Math.ceil(good.length / 150)
  for (let at = 0; at < good.length; at += step) {
    const bytes = Buffer.from(good)
    bytes[at]! ^= 0x80
    writeFileSync(file, bytes)
    const found = (await inspect(ledger, true)).filter(({ problem }) => problem !== undefined)
    assert.deepEqual(
      found.map(({ name }) => name),
      ['000000000016.segment'],
      `byte ${at}`,
    )
  }
})

test('damaged contents can be dropped, damaged headers cannot', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const file = join(path, 'segments', '000000000000.segment')
  const good = readFileSync(file)
  const segment = openSegment(file)
  const [headers, contents] = segment.verify()
  segment.close()
  const damageAt = (offset: number) => {
    const bytes = Buffer.from(good)
    bytes[offset]! ^= 1
    writeFileSync(file, bytes)
  }
  damageAt(headers!.offset)
  await assert.rejects(drop(ledger, 0), { kind: 'SEGMENT_DAMAGED' })
  damageAt(contents!.offset)
  assert.equal(await drop(ledger, 0), 32)
  assert.ok((await inspect(ledger, true)).every(({ problem }) => problem === undefined))
})

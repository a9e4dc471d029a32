import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keep } from '#chain/archive/archive.fixture.ts'
import { extend, silentLog } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { indexedBlock } from '#chain/write/indexed-block.ts'
import { moverOf } from '#chain/write/move-history.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { openStoreReader } from '#store/open-store.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import { writeSegmentFile } from '#store/segments/segment-file.ts'
import type { SegmentBlock } from '#store/segments/segment-writer.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { checkLedger } from './check-ledger.ts'
import { inspect, makeLedger, NEVER, openIn } from './history.fixture.ts'
import { dropHistory, inspectHistory } from './history.ts'
import type { Ledger } from './ledger.ts'

const UNAVAILABLE = { kind: 'HISTORY_UNAVAILABLE' }

function drop(ledger: Ledger, keep: number, stopped = NEVER): Promise<number> {
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
  const run = { log: silentLog, fromBlock: 0, signal: NEVER, onProgress: () => {} }
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
  // Keeps the database open for the inspections of this process.
  const chain = await openIn(path)
  t.after(() => chain.close())
  const file = join(path, 'segments', '000000000016.segment')
  const good = readFileSync(file)
  const step = Math.ceil(good.length / 60)
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

test('correct checksums do not hide other blocks, contents or index entries', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const folder = join(path, 'segments')
  const file = join(folder, '000000000008.segment')
  const good = readFileSync(file)
  const problemWith = async (change: (block: SegmentBlock, number: number) => SegmentBlock) => {
    writeFileSync(file, good)
    const segment = openSegment(file)
    const store = { canonicalHash: (each: number) => segment.hash(each), read: segment.read.bind(segment) }
    const blocks = Array.from({ length: 8 }, (_, at) => indexedBlock(store, 8 + at, keccak256)!)
    segment.close()
    const { genesisHash } = segment
    const blockAt = (number: number) => change(blocks[number - 8]!, number)
    const rest = { isStopped: () => false, pause: () => undefined }
    assert.ok(await writeSegmentFile({ folder, first: 8, count: 8, genesisHash, blockAt, ...rest }))
    const problems = (await inspect(ledger, true)).map(({ problem }) => problem)
    assert.deepEqual([problems[0], problems[3]], [undefined, undefined])
    return problems[1]
  }
  assert.equal(await problemWith((block) => block), undefined)
  const swapped = await problemWith((block, number) => ({ ...block, hash: new Uint8Array(32).fill(number) }))
  assert.match(swapped!, /block 8 has another hash than its header/)
  const emptied = await problemWith((block, number) =>
    number === 9 ? { ...block, body: Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0) } : block,
  )
  assert.match(emptied!, /block 9 has another body than its header says/)
  const unreceived = await problemWith((block) => ({ ...block, receipts: Uint8Array.of(0xc0) }))
  assert.match(unreceived!, /block 8 has other receipts than its header says/)
  const garbled = await problemWith((block) => ({ ...block, receipts: Uint8Array.of(0xc1, 0xc0) }))
  assert.match(garbled!, /block 8 cannot be decoded/)
  for (const [index, change] of Object.entries({
    transaction: { transactionHashes: [] },
    logAddress: { logAddresses: [] },
    logTopic: { logTopics: [new Uint8Array(32)] },
    caller: { parties: { callers: [], callees: [] } },
  })) {
    const problem = await problemWith((block, number) => (number === 9 ? { ...block, ...change } : block))
    assert.match(problem!, new RegExp(`its index ${index} does not match its blocks`))
  }
})

test('a missing last segment is reported if the node is stopped', async (t) => {
  const { ledger, path } = await makeLedger(t)
  rmSync(join(path, 'segments', '000000000024.segment'))
  assert.match(
    (await inspect(ledger, true))[3]?.problem ?? '',
    /024\.segment is damaged: the file is missing/,
  )
})

test('a run next to a node whose archive thread deletes a segment inspects the outline', async (t) => {
  const { ledger, path } = await makeLedger(t)
  const s3 = await startFakeS3(t)
  await keep(path, s3.place)
  const found: unknown[] = []
  for await (const { name, problem } of inspectHistory(ledger, { signal: NEVER, onBytes: () => {} })) {
    if (found.length === 0) rmSync(join(path, 'segments', '000000000008.segment'))
    found.push([name, problem])
  }
  assert.deepEqual(found, [
    ['000000000000.segment', undefined],
    ['000000000008.outline', undefined],
    ['000000000016.segment', undefined],
    ['000000000024.segment', undefined],
  ])
})

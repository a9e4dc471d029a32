import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { call, extend, GENESIS_TEXT, LOGGER, silentLog } from '#chain/chain.fixture.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { createChain } from '#chain/write/create-chain.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { systemClock } from '#platform/clock.ts'
import { accountKey, blockKey, hashKey, numberKey, storageKey, TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { openStore } from '#store/open-store.ts'
import type { StorageFormat } from '#store/store.ts'
import { databaseStats } from '#store/upkeep/table-stats.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { checkLedger } from './check-ledger.ts'
import type { Ledger } from './ledger.ts'
import { pruneLedger } from './prune-ledger.ts'

const STORING = `0x${'66'.repeat(20)}`
const SLOT = new Uint8Array(32).fill(3)
const crypto = await loadCrypto()
const genesis = withStorage()
const signal = new AbortController().signal

function withStorage(): Genesis {
  const parsed = JSON.parse(GENESIS_TEXT)
  const storage = { [`0x${Buffer.from(SLOT).toString('hex')}`]: '0x07', '0x05': '0x09' }
  const text = JSON.stringify({
    ...parsed,
    alloc: { ...parsed.alloc, [STORING]: { balance: '0x1', code: '0x6001600055', storage } },
  })
  const verdict = parseGenesis(text)
  assert.ok(verdict.ok)
  return verdict.genesis
}

/** A closed chain on disk. */
async function makeLedger(t: TestContext, format: StorageFormat, emptyBlocks = 0): Promise<Ledger> {
  const path = mkdtempSync(join(tmpdir(), 'cairn-upkeep-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const options = { path, format, historyBlocks: 100_000, genesisHash: hashToBytes(genesisHash), forks }
  const store = await openStore({ ...options, log: silentLog })
  const parts = { store, genesis, genesisHash, crypto, clock: systemClock, log: silentLog }
  const chain = await createChain({ ...parts, engine: await createJsEngine(), traceStoreEnabled: true })
  for (const transactions of [[call(0), call(1, LOGGER)], [], [call(2, LOGGER)]])
    await extend(chain, transactions)
  for (let block = 0; block < emptyBlocks; block++) await extend(chain)
  await chain.close()
  return { genesis, writer: { ...options, ledger: { dataStorageFormat: format } } as unknown as WriterConfig }
}

function check(ledger: Ledger, more: Partial<Parameters<typeof checkLedger>[1]> = {}) {
  return checkLedger(ledger, { log: silentLog, fromBlock: 0, signal, onProgress: () => {}, ...more })
}

async function change<Value>({ writer }: Ledger, run: (kv: Kv) => Value | Promise<Value>): Promise<Value> {
  const kv = await openLevelKv(writer.path, { createIfMissing: false })
  try {
    return await run(kv)
  } finally {
    await kv.close()
  }
}

async function write(kv: Kv, key: Uint8Array, value: Uint8Array | undefined): Promise<void> {
  const batch = kv.batch()
  if (value === undefined) batch.delete(key)
  else batch.put(key, value)
  await batch.write({ sync: true })
}

test('an intact chain has no findings, and each missing part is named', async (t) => {
  const ledger = await makeLedger(t, 'FOREST')
  assert.deepEqual(await check(ledger), { findings: [], stoppedAt: undefined, head: 3 })
  const hash = await change(ledger, (kv) => kv.get(numberKey(TABLE.canonical, 1))!)
  const code = crypto.keccak(Buffer.from('6001600055', 'hex'))
  const address = Buffer.from(STORING.slice(2), 'hex')
  const cases: readonly [string, Uint8Array, RegExp][] = [
    ['a header', blockKey(TABLE.header, 1, hash), /^Block 1: its header is missing/],
    ['a body', blockKey(TABLE.body, 1, hash), /^Block 1: its transactions are missing/],
    ['receipts', blockKey(TABLE.receipts, 1, hash), /^Block 1: its receipts are missing/],
    ['a place in the chain', numberKey(TABLE.canonical, 1), /^Block 1: it is not in the chain/],
    ['a number', hashKey(TABLE.number, hash), /^Block 1: it is not found by its hash/],
    [
      'a transaction',
      hashKey(TABLE.transaction, hashToBytes(call(1, LOGGER).hash)),
      /^Block 1: its transaction 0x\w+ is not/,
    ],
    ['code', hashKey(TABLE.code, code), /^Account 0x6666\w+: its code is missing/],
    ['an account', Uint8Array.from(accountKey(address)), /is in the trie and in no table/],
    [
      'a slot',
      Uint8Array.from(storageKey(address, 0, SLOT)),
      /^Account 0x6666\w+: the slot with hash 0x\w+ is in the trie/,
    ],
  ]
  for (const [name, key, finding] of cases) {
    const before = await change(ledger, (kv) => kv.get(key))
    assert.ok(before !== undefined, name)
    await change(ledger, (kv) => write(kv, key, undefined))
    const { findings } = await check(ledger)
    assert.ok(
      findings.some((each) => finding.test(each)),
      `${name}: ${findings.join(' ')}`,
    )
    await change(ledger, (kv) => write(kv, key, before))
  }
  const slot = storageKey(address, 0, SLOT)
  const stored = await change(ledger, (kv) => kv.get(slot)!)
  const other = Uint8Array.from(stored)
  other[other.length - 1]! ^= 1
  await change(ledger, (kv) => write(kv, slot, other))
  assert.match((await check(ledger)).findings.join(' '), /its storage has another root/)
  await change(ledger, (kv) => write(kv, slot, stored))
  const stray = Uint8Array.from(accountKey(new Uint8Array(20).fill(0x99)))
  await change(ledger, async (kv) => write(kv, stray, kv.get(accountKey(address))!))
  assert.match((await check(ledger)).findings.join(' '), /The table has \d+ accounts, and the trie/)
  await change(ledger, (kv) => write(kv, stray, undefined))
  assert.deepEqual((await check(ledger)).findings, [])
})

test('an interrupted check reports where to continue', async (t) => {
  const ledger = await makeLedger(t, 'FOREST')
  const stopping = new AbortController()
  const onProgress = (what: string, done: number) => {
    if (what === 'blocks' && done === 1) stopping.abort()
  }
  assert.equal((await check(ledger, { signal: stopping.signal, onProgress })).stoppedAt, 2)
  assert.deepEqual(await check(ledger, { fromBlock: 2 }), { findings: [], stoppedAt: undefined, head: 3 })
})

test('a damaged table file is found before anything is read from it', async (t) => {
  const ledger = await makeLedger(t, 'FOREST')
  await change(ledger, (kv) =>
    (kv as Awaited<ReturnType<typeof openLevelKv>>).compact(Uint8Array.of(0), Uint8Array.of(255)),
  )
  const name = readdirSync(ledger.writer.path).find((each) => each.endsWith('.ldb'))!
  const file = join(ledger.writer.path, name)
  const content = readFileSync(file)
  content[content.length >> 1]! ^= 1
  writeFileSync(file, content)
  await assert.rejects(check(ledger), { kind: 'STORE_CORRUPT', message: /is not as it was written/ })
})

test('states older than the limit are removed for good, and the chain stays intact', async (t) => {
  const ledger = await makeLedger(t, 'BONSAI', 300)
  const run = { log: silentLog, tracesBefore: undefined, signal, onStates: () => {}, onTraces: () => {} }
  assert.equal((await pruneLedger(ledger, { ...run, keepStates: undefined })).lowestState, 0)
  const before = await databaseStats(ledger.writer.path, () => {})
  const { lowestState } = await pruneLedger(ledger, { ...run, keepStates: 257 })
  assert.equal(lowestState, 303 - 257 + 1)
  assert.equal((await pruneLedger(ledger, { ...run, keepStates: undefined })).lowestState, lowestState)
  const after = await databaseStats(ledger.writer.path, () => {})
  const rows = ({ tables }: typeof before, name: string) => tables.find(({ table }) => table === name)!.rows
  assert.ok(rows(after, 'changedKeys') < rows(before, 'changedKeys'))
  assert.equal(rows(after, 'header'), 304)
  assert.deepEqual((await check(ledger)).findings, [])
})

test('traces before a block are removed in slices that continue where the last one ended', async (t) => {
  const ledger = await makeLedger(t, 'FOREST')
  const run = { log: silentLog, keepStates: undefined, signal, onStates: () => {}, onTraces: () => {} }
  const kept = await databaseStats(ledger.writer.path, () => {})
  const first = await pruneLedger(ledger, { ...run, tracesBefore: 2 })
  assert.ok(first.removedTraces > 2, `${first.removedTraces}`)
  assert.equal(first.tracedFrom, 2)
  assert.equal((await pruneLedger(ledger, { ...run, tracesBefore: 2 })).removedTraces, 0)
  const left = await databaseStats(ledger.writer.path, () => {})
  for (const name of ['callTrees', 'traceCaller', 'traceCallee']) {
    const [before, after] = [kept, left].map(({ tables }) => tables.find(({ table }) => table === name)!.rows)
    assert.ok(after! > 0 && after! < before!, `${name}: ${before} and ${after}`)
  }
  await assert.rejects(pruneLedger(ledger, { ...run, tracesBefore: 9 }), {
    kind: 'USAGE',
    message: /ends at block 3/,
  })
  assert.deepEqual((await check(ledger)).findings, [])
})

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { createLog } from '#platform/log/log.ts'
import { addressOf, FakeChain, SETTINGS, submission } from '#pool/pool.fixture.ts'
import type { SubmittedTransaction, TransactionOrigin } from '#pool/submitted-transaction.ts'
import { TransactionPool } from '#pool/transaction-pool.ts'
import { openPoolKeeper, type PoolKeeper } from './pool-keeper.ts'
import { FIRST_LINE } from './pool-lines.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-pool-'))
const keepers: PoolKeeper[] = []
after(async () => {
  for (const keeper of keepers) await keeper.close()
  rmSync(root, { recursive: true })
})
let files = 0
const newPath = () => join(root, `pool-${files++}`)
const keccak = loadFastKeccak()
const NEVER = new AbortController().signal

/** Submissions by their bytes. */
const known = new Map<string, SubmittedTransaction>()
let made = 0
function transaction(nonce: number, bytes = 100): SubmittedTransaction {
  const encoded = new Uint8Array(bytes)
  new DataView(encoded.buffer).setUint32(0, ++made)
  const one = { ...submission({ sender: addressOf(1), nonce }), encoded }
  known.set(Buffer.from(encoded).toString('hex'), one)
  return one
}

interface Scene {
  readonly pool: TransactionPool
  readonly chain: FakeChain
  readonly clock: FakeClock
  readonly keeper: PoolKeeper | undefined
  readonly said: string[]
}

/** Starts a node. */
async function start(path: string, chain = new FakeChain(), signal = NEVER): Promise<Scene> {
  const said: string[] = []
  const log = createLog({ level: 'INFO', format: 'JSON', destination: { write: (line) => said.push(line) } })
  const clock = createFakeClock()
  const building = () => ({ minGasPriceWei: 0n, minPriorityFeeWei: 0n })
  const pool = new TransactionPool({ clock, log, chain, building, settings: SETTINGS })
  const intakeOf = (origin: TransactionOrigin) => ({
    submit: async (bytes: Uint8Array) => {
      const one = known.get(Buffer.from(bytes).toString('hex'))
      if (one === undefined) return { ok: false, reason: 'UNDECODABLE', sentence: 'No transaction.' } as const
      const [verdict] = await pool.admit([one], origin)
      return verdict!.ok ? ({ ok: true, hash: one.hash } as const) : verdict!
    },
  })
  const intakes = { local: intakeOf('local'), remote: intakeOf('remote') }
  const parts = { path, maxFileBytes: 64 * 1024 * 1024, pool, intakes, keccak, clock, log }
  const keeper = await openPoolKeeper(parts)
  await keeper?.restore(signal)
  if (keeper !== undefined) keepers.push(keeper)
  return { pool, chain, clock, keeper, said }
}

async function send(
  { pool, keeper }: Scene,
  one: SubmittedTransaction,
  origin: TransactionOrigin = 'local',
): Promise<void> {
  const [verdict] = await pool.admit([one], origin)
  ok(verdict!.ok)
  await keeper?.written()
}

async function close({ keeper }: Scene): Promise<void> {
  keepers.splice(keepers.indexOf(keeper!), 1)
  await keeper!.close()
}

const shown = ({ pool }: Scene) => pool.list(0).items.map(({ encoded, isLocal }) => [encoded, isLocal])

test("local transactions survive a crash, and peers' transactions an orderly stop", async () => {
  const path = newPath()
  const first = await start(path)
  const [mine, theirs, last] = [transaction(0), transaction(1), transaction(2)]
  await send(first, mine)
  await send(first, theirs, 'remote')
  await send(first, last)
  // The first node crashed: it writes nothing more.
  const second = await start(path)
  deepStrictEqual(shown(second), [
    [mine.encoded, true],
    [last.encoded, true],
  ])
  await send(second, theirs, 'remote')
  await close(second)
  const third = await start(path)
  deepStrictEqual(shown(third), [
    [mine.encoded, true],
    [last.encoded, true],
    [theirs.encoded, false],
  ])
  match(third.said.join(), /"restored":3,"saved":3/)
})

test('blobs survive a crash, and a rewrite of the file', async () => {
  const path = newPath()
  const first = await start(path)
  const plain = transaction(0)
  const encoded = new Uint8Array(2_000).fill(7)
  const one: SubmittedTransaction = {
    ...submission({ sender: addressOf(1), nonce: 1, blobBytes: 1 }),
    encoded: Uint8Array.of(3),
    blobs: { version: 1, hashes: [], encoded },
  }
  known.set(Buffer.from(encoded).toString('hex'), one)
  await send(first, plain)
  await send(first, one)
  const second = await start(path)
  deepStrictEqual(second.pool.blobsOf(one.hash), one.blobs)
  await close(second)
  const third = await start(path)
  deepStrictEqual(third.pool.blobsOf(one.hash), one.blobs)
})

test('a restore admits only transactions that the pool accepts now, and logs the others', async () => {
  const path = newPath()
  const chain = new FakeChain()
  const first = await start(path, chain)
  const [mined, waits] = [transaction(0), transaction(1)]
  await send(first, mined)
  await send(first, waits)
  chain.move(0, [[mined]])
  const second = await start(path, chain)
  deepStrictEqual(shown(second), [[waits.encoded, true]])
  match(second.said.join(), /"restored":1,"saved":2.*"NONCE_TOO_LOW":1/)
})

test('a damaged file is restored as far as possible, and the log counts the loss', async () => {
  const path = newPath()
  const first = await start(path)
  const [lost, kept] = [transaction(0), transaction(1)]
  await send(first, lost)
  await send(first, kept)
  const content = readFileSync(path)
  content[FIRST_LINE.length + 40]! ^= 1
  writeFileSync(path, content)
  const second = await start(path)
  deepStrictEqual(shown(second), [[kept.encoded, true]])
  match(second.said.join(), /"lines":1.*Dropped damaged lines/)
  strictEqual(readFileSync(path, 'utf8').split('\n').length, 3, 'the damaged line is gone')
})

test('a file that is not a saved pool stays unchanged', async () => {
  const [file, folder] = [newPath(), newPath()]
  writeFileSync(file, 'root:x:0:0\n')
  mkdirSync(folder)
  for (const path of [file, folder, join(root, 'missing', 'pool')]) {
    const scene = await start(path)
    strictEqual(scene.keeper, undefined)
    match(scene.said.join(), /[Pp]ool is not saved/)
    await send(scene, transaction(0))
  }
  strictEqual(readFileSync(file, 'utf8'), 'root:x:0:0\n')
})

test('the file is rewritten before it grows long', async () => {
  const path = newPath()
  const scene = await start(path)
  let largest = 0
  for (let nonce = 0; nonce < 100; nonce++) {
    const one = transaction(nonce, 100_000)
    await send(scene, one)
    scene.pool.headMoved(scene.chain.move(0, [[one]]))
    largest = Math.max(largest, statSync(path).size)
  }
  ok(largest < 4.5 * 1024 * 1024, `it had ${largest} bytes`)
})

test('the pool accepts transactions while the disk fails, and writes all of them once it recovers', async () => {
  const folder = newPath()
  mkdirSync(folder)
  const path = join(folder, 'pool')
  const scene = await start(path)
  const [before, during, after_] = [transaction(0), transaction(1), transaction(2)]
  await send(scene, before)
  rmSync(folder, { recursive: true })
  // Appending to the open file works; rewriting fails because its folder is missing.
  const large = transaction(3, 5_000_000)
  await send(scene, large)
  await send(scene, during)
  match(scene.said.join(), /[Pp]ool is not saved/)
  strictEqual(existsSync(path), false)
  mkdirSync(folder)
  await send(scene, after_)
  strictEqual(existsSync(path), false, 'it waits before it tries again')
  scene.clock.advance(10_000)
  await send(scene, transaction(4))
  match(scene.said.join(), /Pool is saved again/)
  strictEqual((await start(path)).pool.status().pending, 5)
})

test('an aborted start leaves the file unchanged', async () => {
  const path = newPath()
  const first = await start(path)
  await send(first, transaction(0))
  const before = readFileSync(path)
  const second = await start(path, new FakeChain(), AbortSignal.abort())
  await close(second)
  deepStrictEqual(readFileSync(path), before)
})

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.ts'
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
const keccak = await loadFastKeccak()
const NEVER = new AbortController().signal

/** Found again by their bytes. */
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

/** A node that starts. */
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

it('keeps what was sent to the node when it is killed, and what peers sent when it stops', async () => {
  const path = newPath()
  const first = await start(path)
  const [mine, theirs, last] = [transaction(0), transaction(1), transaction(2)]
  await send(first, mine)
  await send(first, theirs, 'remote')
  await send(first, last)
  // Killed: nothing more is written.
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
  match(third.said.join(), /Restored 3 of 3 transactions/)
})

it('admits again only what the pool would take now, and says what it did not', async () => {
  const path = newPath()
  const chain = new FakeChain()
  const first = await start(path, chain)
  const [mined, waits] = [transaction(0), transaction(1)]
  await send(first, mined)
  await send(first, waits)
  chain.move(0, [[mined]])
  const second = await start(path, chain)
  deepStrictEqual(shown(second), [[waits.encoded, true]])
  match(second.said.join(), /"NONCE_TOO_LOW":1.*Restored 1 of 2 /)
})

it('starts with a file that is damaged, and says how much was lost', async () => {
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
  match(second.said.join(), /1 lines of \S+ were damaged/)
  strictEqual(readFileSync(path, 'utf8').split('\n').length, 3, 'the damaged line is gone')
})

it('leaves alone what is no file of the pool', async () => {
  const [file, folder] = [newPath(), newPath()]
  writeFileSync(file, 'root:x:0:0\n')
  mkdirSync(folder)
  for (const path of [file, folder, join(root, 'missing', 'pool')]) {
    const scene = await start(path)
    strictEqual(scene.keeper, undefined)
    match(scene.said.join(), /The pool is not kept over a restart/)
    await send(scene, transaction(0))
  }
  strictEqual(readFileSync(file, 'utf8'), 'root:x:0:0\n')
})

it('is written anew before it is long', async () => {
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

it('takes transactions while the disk fails, and writes all again when it no longer does', async () => {
  const folder = newPath()
  mkdirSync(folder)
  const path = join(folder, 'pool')
  const scene = await start(path)
  const [before, during, after_] = [transaction(0), transaction(1), transaction(2)]
  await send(scene, before)
  rmSync(folder, { recursive: true })
  // An open file takes what is appended; its folder is missed when it is written anew.
  const large = transaction(3, 5_000_000)
  await send(scene, large)
  await send(scene, during)
  match(scene.said.join(), /The pool is not kept over a restart/)
  strictEqual(existsSync(path), false)
  mkdirSync(folder)
  await send(scene, after_)
  strictEqual(existsSync(path), false, 'it waits before it tries again')
  scene.clock.advance(10_000)
  await send(scene, transaction(4))
  match(scene.said.join(), /kept over a restart again/)
  strictEqual((await start(path)).pool.status().pending, 5)
})

it('leaves the file as it is when the start is given up', async () => {
  const path = newPath()
  const first = await start(path)
  await send(first, transaction(0))
  const before = readFileSync(path)
  const second = await start(path, new FakeChain(), AbortSignal.abort())
  await close(second)
  deepStrictEqual(readFileSync(path), before)
})

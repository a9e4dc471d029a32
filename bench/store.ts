/**
 * Measures the store alone with synthetic blocks of ERC-20 transfers, without an engine.
 *
 *   node bench/store.ts [--format BONSAI] [--holders 200000] [--transactions 200] [--seconds 20] [--path dir]
 *
 * Prints the cost and size of a commit, and the time of reads and proofs of present and past states.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '#platform/log/log.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { openStore } from '#store/open-store.ts'
import type { NewBlock, StorageFormat } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import { threadCpuMs } from './cpu-seconds.ts'

const { values: flags } = parseArgs({
  options: {
    format: { type: 'string', default: 'BONSAI' },
    holders: { type: 'string', default: '200000' },
    transactions: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    path: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
const format = flags.format as StorageFormat
const holders = Number(flags.holders)
const transactions = Number(flags.transactions)
const random = createSeededRandom(Number(flags.seed))
const path = flags.path ?? mkdtempSync(join(tmpdir(), 'cairn-bench-'))

/** Accounts and slots per block while the holders are created. */
const SETUP_KEYS = 20_000
const READS = 5_000
const SETTLE_MS = 5_000
const HASH = random.randomBytes(32)
const EMPTY_CODE = Buffer.from('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470', 'hex')
const NOTHING = new Uint8Array(0)

const token = random.randomBytes(20)
const miner = random.randomBytes(20)
const people = Array.from({ length: holders }, () => random.randomBytes(20))
const slots = Array.from({ length: holders }, () => random.randomBytes(32))

/** Some holders are far busier than others. */
function pick(): number {
  const uniform = random.randomBelow(2 ** 32) / 2 ** 32
  return Math.floor(uniform ** 3 * holders)
}

function hash(number: number): Uint8Array {
  const bytes = HASH.slice()
  new DataView(bytes.buffer).setUint32(0, number)
  return bytes
}

function pad(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.alloc(32 - bytes.length), bytes])
}

interface Timings {
  readonly derive: number[]
  readonly commit: number[]
  /** CPU time of this thread. */
  readonly deriveCpu: number[]
  readonly commitCpu: number[]
}

async function addBlock(
  store: Store,
  number: number,
  changes: Uint8Array,
  parts: Partial<NewBlock>,
  timings: Timings,
): Promise<void> {
  const [startedAt, cpuAtStart] = [performance.now(), threadCpuMs()]
  const state = store.deriveState(store.headState(), changes)
  const [derivedAt, cpuDerived] = [performance.now(), threadCpuMs()]
  await store.commitBlocks([
    {
      number,
      hash: hash(number),
      timestamp: number,
      header: Buffer.concat([random.randomBytes(250), Buffer.alloc(300)]),
      body: NOTHING,
      receipts: NOTHING,
      callTrees: NOTHING,
      transactionHashes: [],
      logAddresses: [],
      logTopics: [],
      parties: undefined,
      ...parts,
      state,
    },
  ])
  timings.derive.push(derivedAt - startedAt)
  timings.commit.push(performance.now() - derivedAt)
  timings.deriveCpu.push(cpuDerived - cpuAtStart)
  timings.commitCpu.push(threadCpuMs() - cpuDerived)
}

async function makeHolders(store: Store): Promise<number> {
  let number = 0
  const timings = { derive: [], commit: [], deriveCpu: [], commitCpu: [] }
  for (let from = 0; from < holders; from += SETUP_KEYS) {
    const writer = new StateChangesWriter()
    const to = Math.min(holders, from + SETUP_KEYS)
    for (let index = from; index < to; index++) writer.account(people[index]!, 1n, 10n ** 18n, EMPTY_CODE)
    writer.account(token, 1n, 0n, HASH)
    for (let index = from; index < to; index++)
      writer.storage(token, slots[index]!, bigintToBytes(10n ** 20n, 32))
    await addBlock(store, number++, writer.finish(), {}, timings)
  }
  return number
}

function transferBlock(nonce: bigint): { changes: Uint8Array; parts: Partial<NewBlock> } {
  const senders = new Map<number, bigint>()
  const balances = new Map<number, bigint>()
  const body: Uint8Array[] = []
  const receipts: Uint8Array[] = []
  const calls: Uint8Array[] = []
  const transactionHashes: Uint8Array[] = []
  const logTopics: Uint8Array[] = [HASH]
  for (let index = 0; index < transactions; index++) {
    const [from, to] = [pick(), pick()]
    const amount = random.randomBytes(7)
    senders.set(from, nonce)
    for (const holder of [from, to]) balances.set(holder, 10n ** 20n + BigInt(random.randomBelow(2 ** 32)))
    const input = Buffer.concat([Buffer.from('a9059cbb', 'hex'), pad(people[to]!), pad(amount)])
    body.push(
      Buffer.concat([
        Buffer.from('f8ac83010203078459682f0082c350', 'hex'),
        token,
        input,
        random.randomBytes(66),
      ]),
    )
    receipts.push(Buffer.concat([token, HASH, pad(people[from]!), pad(people[to]!), pad(amount)]))
    calls.push(Buffer.concat([people[from]!, token, Buffer.alloc(8), input, pad(Uint8Array.of(1))]))
    transactionHashes.push(random.randomBytes(32))
    logTopics.push(pad(people[from]!), pad(people[to]!))
  }
  const writer = new StateChangesWriter()
  for (const [holder, count] of senders)
    writer.account(people[holder]!, count, 10n ** 18n - count * 1000n, EMPTY_CODE)
  writer.account(miner, 0n, nonce * 10n ** 15n, EMPTY_CODE)
  for (const [holder, balance] of balances) writer.storage(token, slots[holder]!, bigintToBytes(balance, 32))
  const parts = {
    body: Buffer.concat(body),
    receipts: Buffer.concat(receipts),
    callTrees: Buffer.concat(calls),
    transactionHashes,
    logAddresses: [token],
    logTopics,
  }
  return { changes: writer.finish(), parts }
}

/** Bytes that the kernel has written to the device so far. */
function deviceBytes(): number {
  const line = /^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))
  return Number(line?.[1] ?? 0)
}

function directoryBytes(): number {
  return readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0)
}

function quantile(values: readonly number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN).toFixed(2)
}

function timeReads(name: string, read: (index: number) => unknown): void {
  const times: number[] = []
  for (let index = 0; index < READS; index++) {
    const holder = pick()
    const startedAt = performance.now()
    read(holder)
    times.push((performance.now() - startedAt) * 1000)
  }
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  console.log(
    `${name}: mean ${mean.toFixed(1)} us, p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}`,
  )
}

function timeProofs(store: Store, name: string, number: number): void {
  const times: number[] = []
  for (let index = 0; index < 5; index++) {
    const startedAt = performance.now()
    store.proofAt(number, token, [slots[pick()]!])
    times.push(performance.now() - startedAt)
  }
  console.log(
    `proof of account and slot ${name}: p50 ${quantile(times, 0.5)} ms, worst ${quantile(times, 1)} ms`,
  )
}

const log = createLog({ level: 'ERROR', fd: 2 })
const forks = [{ name: 'frontier', trigger: 'block', from: 0n }] as const
const store = await openStore({ path, format, historyBlocks: 512, genesisHash: hash(0), forks, log })
const setupAt = performance.now()
let number = await makeHolders(store)
const first = number
// The database still sorts recent writes, which are not part of the measured load.
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
console.log(`${format}: ${holders} holders created in ${((performance.now() - setupAt) / 1000).toFixed(1)} s`)

const timings: Timings = { derive: [], commit: [], deriveCpu: [], commitCpu: [] }
const [deviceBefore, cpuBefore, diskBefore] = [deviceBytes(), process.cpuUsage(), directoryBytes()]
const startedAt = performance.now()
let made = 0
let makingMs = 0
while (performance.now() - startedAt < Number(flags.seconds) * 1000) {
  const makingAt = performance.now()
  const { changes, parts } = transferBlock(BigInt(number))
  makingMs += performance.now() - makingAt
  await addBlock(store, number++, changes, parts, timings)
  made += transactions
}
const wallMs = performance.now() - startedAt - makingMs
const cpu = process.cpuUsage(cpuBefore)
await store.settled()
console.log(
  `${timings.commit.length} blocks of ${transactions}: ${((made / wallMs) * 1000).toFixed(0)} tx/s of wall time`,
)
console.log(
  `root p50 ${quantile(timings.derive, 0.5)} ms, p99 ${quantile(timings.derive, 0.99)} ms; ` +
    `commit p50 ${quantile(timings.commit, 0.5)} ms, p99 ${quantile(timings.commit, 0.99)} ms, worst ${quantile(timings.commit, 1)} ms`,
)
const mean = (values: readonly number[]) =>
  ((values.reduce((sum, value) => sum + value, 0) / made) * 1000).toFixed(1)
console.log(
  `CPU of this thread: root ${mean(timings.deriveCpu)} us/tx, commit ${mean(timings.commitCpu)} us/tx`,
)
console.log(
  `CPU ${((((cpu.user + cpu.system) / 1000 - makingMs) / made) * 1000).toFixed(1)} us/tx, all threads; ` +
    `device ${((deviceBytes() - deviceBefore) / made).toFixed(0)} bytes/tx; disk ${((directoryBytes() - diskBefore) / made).toFixed(0)} bytes/tx`,
)
const head = number - 1
const back = Math.max(first, head - 500)
const readAt = (block: number) => {
  const state = store.stateAt(block)
  return (holder: number) => state.account(people[holder]!)
}
timeReads(`balance at the head (block ${head})`, readAt(head))
timeReads(`balance ${head - back} blocks back`, readAt(back))
if (format === 'FOREST') timeReads('balance at block 1', readAt(1))
const slotState = store.stateAt(back)
timeReads(`slot ${head - back} blocks back`, (holder) => slotState.storage(token, slots[holder]!))
timeProofs(store, 'at the head', head)
timeProofs(store, `${head - back} blocks back`, back)
if (format === 'FOREST') timeProofs(store, `at block ${first + 5}`, first + 5)
await store.close()
if (flags.path === undefined) rmSync(path, { recursive: true, force: true })

/**
 * Measures block import: the share of the bare engine's speed that remains with all other work of an import.
 *
 *   npm run bench -- import [--accounts 1000000 --transactions 12000 --format BONSAI --without-vm]
 *   npm run bench -- import --brief [--slower 20]    judges an import next to a reference, or notices a slower one
 *
 * Builds a QBFT chain on a state of 100,000 accounts (a million take minutes to create): transfers and ERC-20 transfers, in
 * blocks of 200 and of 1,000. Then imports it into another database block by block, each in its own synced batch, as a
 * validator does. Compares it with
 * (a) the bare engine on the same transactions, with sender recovery but without store, roots and indexes;
 * (b) @ethereumjs/vm with its own Merkle state manager and caches, on fewer accounts, which favours it;
 * (c) the same import with the JavaScript engine, unless CAIRN_ENGINE already selects it.
 * All of them first run blocks of both kinds as a warm-up, and then the same blocks. The exit code is 1 if a goal is missed.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { offer } from '#chain/chain.fixture.ts'
import { toStored } from '#chain/execute/execute.ts'
import { IMPORT_STEPS } from '#chain/execute/timings.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { type Chain, createChain } from '#chain/write/create-chain.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { collectGarbage } from '#platform/bound-memory.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import type { StorageFormat } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { templateOn } from './bench-chain.ts'
import { threadCpuMs, threadMicrosOf } from './cpu-seconds.ts'
import { runBare } from './import-bare.ts'
import { BRIEF_BLOCKS, judgeImport, ROUND_BLOCKS } from './import-brief.ts'
import { runVm } from './import-vm.ts'
import { type Kind, Workload } from './import-workload.ts'

const { values: flags } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    transactions: { type: 'string', default: '6000' },
    format: { type: 'string', default: 'BONSAI' },
    'without-vm': { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
    slower: { type: 'string', default: '0' },
  },
})
const format = flags.format as StorageFormat
const perScenario = Number(flags.transactions)
const GOAL_OF_BARE = 0.6
const GOAL_OF_VM = 3
/** For ERC-20 transfers: for plain ones the engine is the smaller part. */
const GOAL_OF_JS = 4

interface Scenario {
  readonly kind: Kind
  readonly size: number
  /** The number of its transactions. */
  readonly total: number
  readonly isWarmUp?: boolean
}

interface MadeBlocks extends Scenario {
  readonly blocks: readonly { readonly encoded: Uint8Array; readonly block: Block }[]
}

const BRIEF_ACCOUNTS = 5_000
const WARM_UP_TRANSACTIONS = 400
const WARM_UPS: readonly Scenario[] = [
  { kind: 'transfers', size: 200, total: WARM_UP_TRANSACTIONS, isWarmUp: true },
  { kind: 'ERC-20 transfers', size: 200, total: WARM_UP_TRANSACTIONS, isWarmUp: true },
]
const SCENARIOS: readonly Scenario[] = [
  { kind: 'transfers', size: 200, total: perScenario },
  { kind: 'transfers', size: 1_000, total: perScenario },
  { kind: 'ERC-20 transfers', size: 200, total: perScenario },
  { kind: 'ERC-20 transfers', size: 1_000, total: perScenario },
]

const crypto = await loadCrypto()
const log = createLog({ level: 'ERROR', fd: 2 })
const engine = await chooseEngine(process.env.CAIRN_ENGINE, log)
/** Steps are timed by the thread's CPU time, because wall time says little on a busy machine. */
const clock: Clock = { ...systemClock, monotonicMs: threadCpuMs }
const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-import-'))
/** Wall time of the current scenario. */
let commitsMs: number[] = []
/** True while nothing is measured: every variant runs its code first. */
let isWarmUp = false
let misses = 0
const say = (text: string) => isWarmUp || process.stdout.write(`${text}\n`)

try {
  process.exitCode = flags.brief ? await judge() : await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<number> {
  const started = performance.now()
  const workload = new Workload(Number(flags.accounts), crypto)
  const genesisHash = genesisHashOf(workload.genesis, crypto.keccak)
  const open = (name: string, one = engine) => openChain(join(folder, name), one, workload, genesisHash)
  await fillState(await open('made'), workload)
  for (const name of ['imported', 'imported-js']) {
    cpSync(join(folder, 'made'), join(folder, name), { recursive: true })
  }
  say(`${flags.accounts} accounts are in the state after ${seconds(started)} s.`)
  const made = await makeBlocks(await open('made'), workload, [...WARM_UPS, ...SCENARIOS])
  rmSync(join(folder, 'made'), { recursive: true })
  say(`${SCENARIOS.length * perScenario} transactions are in blocks after ${seconds(started)} s.\n`)
  const chain = await open('imported')
  const js = engine.name === 'js' ? undefined : await open('imported-js', await createJsEngine())
  for (const scenario of made) await measure(chain, js, scenario, workload)
  await chain.close()
  await js?.close()
  say(`Done after ${seconds(started)} s.`)
  if (misses > 0) say(`${misses} goals are missed.`)
  return misses === 0 ? 0 : 1
}

async function judge(): Promise<number> {
  const workload = new Workload(BRIEF_ACCOUNTS, crypto)
  const genesisHash = genesisHashOf(workload.genesis, crypto.keccak)
  const open = (name: string) => openChain(join(folder, name), engine, workload, genesisHash)
  await fillState(await open('made'), workload)
  cpSync(join(folder, 'made'), join(folder, 'imported'), { recursive: true })
  const size = 200
  const scenario: Scenario = { kind: 'ERC-20 transfers', size, total: BRIEF_BLOCKS * size }
  const [made] = await makeBlocks(await open('made'), workload, [scenario])
  const chain = await open('imported')
  let next = 0
  const importRound = async (): Promise<number> => {
    for (const { encoded } of made!.blocks.slice(next, next + ROUND_BLOCKS)) await importOne(chain, encoded)
    next += ROUND_BLOCKS
    return ROUND_BLOCKS * size
  }
  const isFast = await judgeImport(importRound, Number(flags.slower), say)
  await chain.close()
  return isFast ? 0 : 1
}

async function openChain(
  path: string,
  engine: Engine,
  { genesis }: Workload,
  genesisHash: ReturnType<typeof genesisHashOf>,
) {
  const { forks } = genesis.config.forks
  const store = await openStore({
    path,
    format,
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHash),
    forks,
    log,
  })
  const commitBlocks = store.commitBlocks.bind(store)
  const timeCommit: Store['commitBlocks'] = async (blocks) => {
    const start = performance.now()
    await commitBlocks(blocks)
    commitsMs.push(performance.now() - start)
  }
  Object.assign(store, { commitBlocks: timeCommit })
  return createChain({ store, genesis, genesisHash, engine, crypto, clock, log })
}

/** Blocks that were not executed: their state is given. */
async function fillState(chain: Chain, workload: Workload): Promise<void> {
  const { store } = chain
  let parent = chain.head
  for (const changes of workload.fillings()) {
    const state = store.deriveState(store.headState(), changes)
    const { number, timestamp } = parent.header
    const header = {
      ...parent.header,
      parentHash: parent.hash,
      number: number + 1n,
      timestamp: timestamp + 1n,
      stateRoot: hashFromBytes(state.root),
    }
    const block: Block = { header, transactions: [], ommers: [], withdrawals: [] }
    parent = { header, hash: chain.hashBlock(header) }
    const nothing = { receipts: [], outcomes: [] }
    await store.commitBlocks([
      toStored({ keepRevertReasons: false }, { block, hash: parent.hash }, nothing, [], state),
    ])
  }
  await chain.close()
}

async function makeBlocks(
  chain: Chain,
  workload: Workload,
  scenarios: readonly Scenario[],
): Promise<MadeBlocks[]> {
  const made: MadeBlocks[] = []
  for (const scenario of scenarios) {
    const blocks: { encoded: Uint8Array; block: Block }[] = []
    for (let count = 0; count < scenario.total; count += scenario.size) {
      blocks.push(await makeBlock(chain, workload.transactions(scenario.kind, scenario.size)))
    }
    made.push({ ...scenario, blocks })
  }
  await chain.close()
  return made
}

async function makeBlock(chain: Chain, candidates: readonly Transaction[]) {
  const { executed, leftOut } = await chain.build(templateOn(chain.head), offer(candidates))
  if (leftOut.length > 0) throw new Error(leftOut[0]!.sentence)
  const encoded = encodeBlock(executed.block)
  await chain.importBlock(chain.receive(encoded))
  return { encoded, block: executed.block }
}

async function measure(
  chain: Chain,
  js: Chain | undefined,
  made: MadeBlocks,
  workload: Workload,
): Promise<void> {
  const { kind, size, blocks } = made
  isWarmUp = made.isWarmUp ?? false
  const gas = blocks.reduce((sum, { block }) => sum + Number(block.header.gasUsed), 0)
  say(`${kind}, blocks of ${size}: ${blocks.length * size} transactions, ${gas / 1e6} Mgas`)
  const cpuMs = await importBlocks('import  ', chain, made, gas)
  await compare({ size, blocks }, workload, cpuMs, gas)
  if (js !== undefined) {
    const times = (await importBlocks('(c) js  ', js, made, gas)) / cpuMs
    const goal = kind === 'transfers' ? times.toFixed(2) : verdict(times, GOAL_OF_JS)
    say(`      import is ${goal} times as fast as that`)
  }
  say('')
}

/** Milliseconds of CPU. */
async function importBlocks(
  label: string,
  chain: Chain,
  { size, blocks }: MadeBlocks,
  gas: number,
): Promise<number> {
  const transactions = blocks.length * size
  const before = IMPORT_STEPS.map((step) => chain.timings.totalMs(step))
  commitsMs = []
  // Earlier measurements must not leave their garbage to this one.
  await collectGarbage()
  const written = deviceBytes()
  const cpu = process.cpuUsage()
  const threads = threadMicrosOf(process.pid)
  const wall = performance.now()
  for (const { encoded } of blocks) await importOne(chain, encoded)
  const wallMs = performance.now() - wall
  const cpuMs = cpuSpentMs(cpu)
  // Threads of libuv recover keys and write the database; V8's compile and collect garbage.
  const byThread = [...threadMicrosOf(process.pid)].map(
    ([name, micros]) => [name, (micros - (threads.get(name) ?? 0)) / transactions] as const,
  )
  const bytes = (deviceBytes() - written) / transactions
  say(`  ${label} ${rate(transactions, gas, cpuMs)}; wall ${(wallMs / 1000).toFixed(2)} s`)
  const parts = IMPORT_STEPS.map((step, at) => {
    const ms = chain.timings.totalMs(step) - before[at]!
    return `${step} ${((ms * 1000) / transactions).toFixed(1)}`
  })
  say(`      CPU µs per transaction: ${parts.join(', ')}`)
  const shown = byThread
    .filter(([, micros]) => micros >= 1)
    .map(([name, micros]) => `${name} ${micros.toFixed(1)}`)
  say(`      by thread: ${shown.join(', ')}`)
  commitsMs.sort((a, b) => a - b)
  const [p50, p99] = [quantile(commitsMs, 0.5), quantile(commitsMs, 0.99)]
  say(
    `      commit p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${(bytes / 1024).toFixed(2)} KB to the device per transaction`,
  )
  return cpuMs
}

async function importOne(chain: Chain, encoded: Uint8Array): Promise<void> {
  const verdict = await chain.importBlock(chain.receive(encoded))
  if (!verdict.ok) throw new Error(verdict.sentence)
}

async function compare(
  { size, blocks }: Pick<MadeBlocks, 'size' | 'blocks'>,
  workload: Workload,
  cpuMs: number,
  gas: number,
) {
  const transactions = blocks.length * size
  const bare = await runBare(engine, crypto, workload, blocks)
  say(
    `  (a) bare ${rate(transactions, gas, bare.cpuMs)}; import reaches ${verdict(bare.cpuMs / cpuMs, GOAL_OF_BARE)}`,
  )
  say(
    `      µs per transaction: recovery ${((bare.recoveryMs * 1000) / transactions).toFixed(1)}, execution ${((bare.executionMs * 1000) / transactions).toFixed(1)}`,
  )
  if (flags['without-vm']) return
  const vm = await runVm(workload, blocks)
  if (typeof vm === 'string') say(`  (b) not measured: ${vm}`)
  else {
    const perTransaction = cpuMs / transactions / (vm.cpuMs / vm.transactions)
    say(
      `  (b) vm   ${rate(vm.transactions, vm.gas, vm.cpuMs)} on ${vm.accounts} accounts; import is ${verdict(1 / perTransaction, GOAL_OF_VM)} times as fast`,
    )
  }
}

function rate(transactions: number, gas: number, cpuMs: number): string {
  const perSecond = (transactions / cpuMs) * 1000
  return `${perSecond.toFixed(0)} transactions and ${(gas / cpuMs / 1000).toFixed(0)} Mgas per CPU second`
}

function verdict(value: number, goal: number): string {
  if (value < goal && !isWarmUp) misses++
  return `${value.toFixed(2)} (goal ${goal}${value >= goal ? ', reached' : ', not reached'})`
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

function cpuSpentMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** Bytes that the kernel sent to the device for this process, including the database's threads. */
function deviceBytes(): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8')) ?? []
  return Number(bytes ?? 0)
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}

/*
 * Measures the time until a node answers, and its idle memory. It starts the real program several times, always on the same data
 * directory.
 *
 *   npm run bench -- start                         5 starts, with their time and memory by part
 *   npm run bench -- start --judge                 fails beyond a second or 200 MB; for an idle machine
 *   npm run bench -- start --brief                 1 start; fails if it uses far too much memory, or if a thread
 *                                                  loads too many modules
 *   npm run bench -- start --ratios                the CPU time of a node, of four validators and of an embedded node,
 *                                                  next to a bare program; fails if one of them became a tenth slower
 *   npm run bench -- start --ratios --slower 20    the same with a planted mistake, which must be noticed
 *   npm run bench -- start --package               the package that users install, instead of the checkout
 *   npm run bench -- start -- --rpc-ws-enabled     with additional node options
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { HeapProbe } from '../test/support/heap-probe.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { type RunningNode, startNode } from '../test/support/running-node.ts'
import { buildPackage } from './build-package.ts'
import { cpuSecondsOf, threadSecondsOf } from './cpu-seconds.ts'
import { Connection } from './keep-alive.ts'
import { judgeStarts } from './start-brief.ts'

const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    judge: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
    package: { type: 'boolean', default: false },
    ratios: { type: 'boolean', default: false },
    slower: { type: 'string', default: '0' },
  },
  allowPositionals: true,
})

const ANSWER_MAX_MS = 1_000
const IDLE_MAX_MB = 200
/** Memory soon after the start, before garbage collection, on a machine that may be busy. */
const BRIEF_MAX_MB = 290
/** A tenth more than today. Modules dominate the cost of a start, and their number is the same on every machine. */
const MODULES_MAX: Readonly<Record<string, number>> = { main: 640, writer: 325, 'server-0': 850, peers: 405 }
/** Until V8 has collected the garbage of the start; it waits for eight idle seconds. */
const IDLE_MS = values.brief ? 2_000 : 15_000
const LOOK_MS = 5
const ANSWER_LIMIT_MS = 120_000
const STARTS = values.brief ? 1 : Number(values.times)
const OPTIONS = ['--rpc-http-enabled', ...positionals]

/** The log line at the end of each step, and a description of the step, in order. */
const STEPS: readonly (readonly [sentence: string, step: string])[] = [
  ['Starting node', 'Node itself, main modules, options'],
  ['Opened chain', 'store, and the rest of the writer modules'],
  ['JSON-RPC service started', 'ports, and the rest of the server modules'],
  ['Enode URL', 'peers thread'],
  ['Cairn is up', 'everything else'],
]

interface Start {
  readonly answerMs: number
  /** Duration of each step. */
  readonly stepsMs: readonly number[]
  readonly cpuSeconds: number
  readonly threadSeconds: ReadonlyMap<string, number>
  readonly memory: Memory
}

interface Memory {
  readonly residentMb: number
  /** Pages of the program and its libraries, which programs share. */
  readonly filesMb: number
}

async function startOnce(folder: string, isIdle = true): Promise<Start> {
  const port = await freePort()
  const beganMs = Date.now()
  const answered = firstAnswer(port)
  const node = await startNode(OPTIONS, folder, program, { httpPort: port })
  try {
    const answerMs = (await answered) - beganMs
    const cpuSeconds = cpuSecondsOf(node.pid)
    const atMs = STEPS.map(([sentence]) => timeOf(node, sentence) - beganMs)
    await pause(isIdle ? IDLE_MS : 0)
    return {
      answerMs,
      stepsMs: atMs.map((ms, index) => ms - (atMs[index - 1] ?? 0)),
      cpuSeconds,
      threadSeconds: threadSecondsOf(node.pid),
      memory: memoryOf(node.pid),
    }
  } finally {
    await node.stop()
  }
}

/**
 * The first answer's time on the machine's clock, which the log uses too. A node may answer before it is completely
 * up.
 */
async function firstAnswer(port: number): Promise<number> {
  for (const endMs = Date.now() + ANSWER_LIMIT_MS; ; await pause(LOOK_MS)) {
    try {
      const connection = await Connection.open(port)
      await connection.ask('eth_blockNumber')
      connection.close()
      return Date.now()
    } catch (error) {
      if (Date.now() > endMs) throw error
    }
  }
}

function timeOf(node: RunningNode, sentence: string): number {
  const line = node
    .output()
    .split('\n')
    .find((each) => each.includes(sentence))
  if (line === undefined) throw new Error(`The node did not log '${sentence}':\n${node.output()}`)
  return Date.parse((JSON.parse(line) as { readonly time: string }).time)
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024
  return { residentMb: megabytes('VmRSS'), filesMb: megabytes('RssFile') }
}

/** Measured in a separate start, because reading heaps takes memory. */
async function heapsOf(folder: string): Promise<Record<string, number>> {
  const node = await startNode(OPTIONS, folder, program, {
    nodeFlags: ['--inspect=127.0.0.1:0'],
  })
  try {
    const probe = await HeapProbe.open(node.output())
    const heaps = await probe.heaps()
    probe.close()
    return heaps
  } finally {
    await node.stop()
  }
}

/** Modules by thread, measured in a separate start, because counting is slow. */
async function modulesOf(folder: string): Promise<ReadonlyMap<string, number>> {
  const file = join(folder, 'modules')
  process.env.CAIRN_MODULES_FILE = file
  const nodeFlags = [`--require=${join(import.meta.dirname, 'count-modules.ts')}`]
  const node = await startNode(OPTIONS, folder, program, { nodeFlags })
  await node.stop()
  const counts = new Map<string, number>()
  for (const line of new Set(readFileSync(file, 'utf8').trim().split('\n'))) {
    const thread = line.slice(0, line.indexOf(' '))
    counts.set(thread, (counts.get(thread) ?? 0) + 1)
  }
  return counts
}

function showModules(modules: ReadonlyMap<string, number>): void {
  console.log('modules that threads load:')
  for (const [thread, count] of modules) console.log(`  ${String(count).padStart(5)}     ${thread}`)
}

const median = (numbers: readonly number[]): number => percentile([...numbers], 50)

function showTime(starts: readonly Start[]): void {
  const bestMs = Math.min(...starts.map(({ answerMs }) => answerMs))
  const answerMs = median(starts.map((start) => start.answerMs))
  console.log(`first answer after ${answerMs.toFixed(0)} ms (the best ${bestMs.toFixed(0)} ms)`)
  for (const [index, [, step]] of STEPS.entries()) {
    const ms = median(starts.map(({ stepsMs }) => stepsMs[index]!))
    console.log(`  ${ms.toFixed(0).padStart(5)} ms  ${step}`)
  }
  const seconds = median(starts.map(({ cpuSeconds }) => cpuSeconds))
  console.log(`CPU until it was up: ${seconds.toFixed(2)} s; by threads, and until it was idle:`)
  for (const [name, spent] of starts.at(-1)!.threadSeconds) {
    if (spent >= 0.02) console.log(`  ${spent.toFixed(2).padStart(5)} s   ${name}`)
  }
}

function showMemory(starts: readonly Start[], heaps: Readonly<Record<string, number>>): void {
  const residentMb = median(starts.map(({ memory }) => memory.residentMb))
  const filesMb = median(starts.map(({ memory }) => memory.filesMb))
  const heapsMb = Object.values(heaps).map((bytes) => bytes / 2 ** 20)
  const liveMb = heapsMb.reduce((sum, mb) => sum + mb, 0)
  console.log(`idle memory: ${residentMb.toFixed(0)} MB`)
  console.log(`  ${filesMb.toFixed(0).padStart(5)} MB  pages of Node and libraries`)
  for (const [name, bytes] of Object.entries(heaps))
    console.log(`  ${(bytes / 2 ** 20).toFixed(1).padStart(5)} MB  in use in the heap of ${name}`)
  const rest = residentMb - filesMb - liveMb
  console.log(`  ${rest.toFixed(0).padStart(5)} MB  code, stacks, caches, native memory and garbage`)
}

async function measureStarts(folder: string): Promise<boolean> {
  // Creates the database and fills the compile cache.
  await startOnce(folder, false)
  const starts: Start[] = []
  while (starts.length < STARTS) starts.push(await startOnce(folder))
  showTime(starts)
  showMemory(starts, values.brief ? {} : await heapsOf(folder))
  const modules = await modulesOf(folder)
  showModules(modules)
  const answerMs = median(starts.map((start) => start.answerMs))
  const residentMb = median(starts.map(({ memory }) => memory.residentMb))
  const problems = [
    ...(values.judge && answerMs > ANSWER_MAX_MS ? [`it answers after more than ${ANSWER_MAX_MS} ms`] : []),
    ...(values.judge && residentMb > IDLE_MAX_MB ? [`it uses more than ${IDLE_MAX_MB} MB`] : []),
    ...(starts.some(({ threadSeconds }) => threadSeconds.has('engine-0'))
      ? ['it has engine threads before a call needs one']
      : []),
    ...Object.entries(MODULES_MAX)
      .filter(([thread, max]) => (modules.get(thread) ?? Number.POSITIVE_INFINITY) > max)
      .map(([thread, max]) => `the thread ${thread} loads more than ${max} modules`),
    ...(values.brief && residentMb > BRIEF_MAX_MB ? [`it uses more than ${BRIEF_MAX_MB} MB`] : []),
  ]
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  console.log(`${starts.length} starts answered`)
  return problems.length === 0
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-start-'))
const place = mkdtempSync(join(tmpdir(), 'cairn-package-'))
const program = values.package || values.ratios ? buildPackage(place) : undefined
try {
  const isMet = values.ratios
    ? await judgeStarts(place, program!, Number(values.slower))
    : await measureStarts(folder)
  process.exitCode = isMet ? 0 : 1
} finally {
  for (const made of [folder, place]) rmSync(made, { recursive: true, force: true })
}

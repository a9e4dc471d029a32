/**
 * Compares two ways in which a new node obtains a network's chain or state.
 *
 *   npm run bench -- catch-up [--blocks 10000 --transactions 10 --format BONSAI --folder /tmp/kept]
 *
 * (a) All blocks from a peer over loopback, compared with importing them from a file; the goal is 0.8 of that speed.
 * (b) A state from a file, compared with copying another node's data directory; the goal is 1.5 times that time, each until
 * the node is up and answers with the head. All nodes are the real program in its own process. The exit code is 1 if a goal
 * is missed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PROGRAM } from '../test/support/program.ts'
import { openRpcClient } from '../test/support/rpc-client.ts'
import { type RunningNode, startNode } from '../test/support/running-node.ts'
import { threadSecondsOf } from './cpu-seconds.ts'
import { makeSealedBlocks, type SealedBlocks } from './sealed-blocks.ts'

const { values: flags } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    transactions: { type: 'string', default: '10' },
    format: { type: 'string', default: 'BONSAI' },
    /** Kept for later runs, which reuse its blocks. */
    folder: { type: 'string' },
    /** The share of a goal that is enough, because goals say little on a busy machine. */
    tolerance: { type: 'string', default: '1' },
  },
})
const blocks = Number(flags.blocks)
const transactions = Number(flags.transactions)
const tolerance = Number(flags.tolerance)
const GOAL_OF_FILE = 0.8
const GOAL_OF_COPY = 1.5
const POLL_MS = 20
const LOOK_MAX_MS = 3_600_000

const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'cairn-catch-up-'))
mkdirSync(folder, { recursive: true })
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const running = new Set<RunningNode>()
let misses = 0

try {
  await main()
  process.exitCode = misses === 0 ? 0 : 1
} finally {
  for (const node of running) await node.kill()
  if (flags.folder === undefined) rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const made = await blocksToTake()
  const from = dataPath('from-file')
  const fileMs = await importFile(made, from)
  say(`file: ${blocks} blocks of ${transactions} transactions in ${seconds(fileMs)} s, ${rate(fileMs)}`)
  const peerMs = await catchUp(made, from)
  say(`peer: the same in ${seconds(peerMs)} s, ${rate(peerMs)}`)
  judge('from a peer at', fileMs / peerMs, GOAL_OF_FILE, 'least', 'of the speed of a file')
  await begin(made, from)
}

async function blocksToTake(): Promise<SealedBlocks> {
  const kept = { genesisFile: join(folder, 'genesis.json'), blocksFile: join(folder, 'blocks.bin') }
  if (existsSync(join(folder, 'whole'))) return kept
  const start = performance.now()
  await makeSealedBlocks(folder, blocks, transactions, say)
  mkdirSync(join(folder, 'whole'))
  say(`${blocks} sealed blocks were created in ${seconds(performance.now() - start)} s.`)
  return kept
}

function dataPath(name: string): string {
  const path = join(folder, name)
  rmSync(path, { recursive: true, force: true })
  return path
}

/** Timed from the moment when it reports the chain's head. */
async function importFile({ genesisFile, blocksFile }: SealedBlocks, data: string): Promise<number> {
  const args = [
    `--data-path=${data}`,
    `--genesis-file=${genesisFile}`,
    ...common(),
    'blocks',
    'import',
    blocksFile,
  ]
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let startMs: number | undefined
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    startMs ??= performance.now()
    said += text
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0 || startMs === undefined) throw new Error(said)
  return performance.now() - startMs
}

/** Timed from the moment when the new node learns of its peer. */
async function catchUp({ genesisFile }: SealedBlocks, served: string): Promise<number> {
  const server = await startOn(served, genesisFile)
  const peer = openRpcClient(server.http)
  const { result: enode } = await peer.call('net_enode')
  const node = await startOn(dataPath('from-peer'), genesisFile)
  const client = openRpcClient(node.http)
  const startMs = performance.now()
  const before = threadSecondsOf(node.pid)
  const { error } = await client.call('admin_addPeer', enode)
  if (error !== undefined) throw new Error(error.message)
  await untilHead(client)
  const tookMs = performance.now() - startMs
  sayThreads('the new node, from learning of its peer', node, before)
  sayThreads('its peer, from its start', server, new Map())
  await peer.close()
  await client.close()
  await stop(node)
  await stop(server)
  return tookMs
}

/** The main thread only announces heads, so its share must not grow with the blocks. */
function sayThreads(whose: string, { pid }: RunningNode, before: ReadonlyMap<string, number>): void {
  const threads = [...threadSecondsOf(pid)]
    .map(([thread, seconds]) => [thread, seconds - (before.get(thread) ?? 0)] as const)
    .filter(([, spent]) => spent >= 0.01)
    .sort(([, a], [, b]) => b - a)
  say(`  CPU s of ${whose}: ${threads.map(([thread, spent]) => `${thread} ${spent.toFixed(2)}`).join(', ')}`)
}

async function begin({ genesisFile }: SealedBlocks, from: string): Promise<void> {
  const state = join(folder, 'state.bin')
  const exportMs = await timed(() =>
    run([`--data-path=${from}`, ...common(), 'state', 'export', `--to=${state}`]),
  )
  say(`export: ${seconds(exportMs)} s, a file of ${megabytes(statSync(state).size)} MB`)
  const copy = dataPath('copied')
  const copyMs = await timed(async () => {
    cpSync(from, copy, { recursive: true })
    for (const name of readdirSync(join(copy, 'database'))) syncFile(join(copy, 'database', name))
  })
  const copyReadyMs = copyMs + (await timed(() => startAndStop(copy, genesisFile)))
  say(
    `copy: ${megabytes(sizeOf(join(copy, 'database')))} MB in ${seconds(copyMs)} s, ready after ${seconds(copyReadyMs)} s`,
  )
  const begun = dataPath('from-state')
  const options = [`--data-path=${begun}`, `--genesis-file=${genesisFile}`, ...common()]
  const importMs = await timed(() => run([...options, 'state', 'import', `--from=${state}`]))
  const stateReadyMs = importMs + (await timed(() => startAndStop(begun, genesisFile)))
  say(
    `state: ${megabytes(sizeOf(join(begun, 'database')))} MB made and verified in ${seconds(importMs)} s, ready after ${seconds(stateReadyMs)} s`,
  )
  judge(
    'ready from a state in',
    stateReadyMs / copyReadyMs,
    GOAL_OF_COPY,
    'most',
    'times the time of a copy that is ready',
  )
  say(`(${(stateReadyMs / copyMs).toFixed(2)} times the time of copying alone, with no node started)`)
}

async function startAndStop(data: string, genesisFile: string): Promise<() => Promise<void>> {
  const node = await startOn(data, genesisFile)
  const client = openRpcClient(node.http)
  await untilHead(client)
  await client.close()
  return () => stop(node)
}

/** The time ends when the work's promise resolves. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  const after = await work()
  const tookMs = performance.now() - startMs
  if (typeof after === 'function') await after()
  return tookMs
}

async function startOn(data: string, genesisFile: string): Promise<RunningNode> {
  mkdirSync(data, { recursive: true })
  const api = ['--rpc-http-enabled', '--rpc-http-api=ETH,ADMIN,NET', '--discovery-enabled=false']
  const node = await startNode(
    [`--genesis-file=${genesisFile}`, ...api, `--data-storage-format=${flags.format}`],
    data,
  )
  running.add(node)
  return node
}

async function stop(node: RunningNode): Promise<void> {
  await node.stop()
  running.delete(node)
}

async function untilHead(client: ReturnType<typeof openRpcClient>): Promise<void> {
  const endMs = performance.now() + LOOK_MAX_MS
  while (performance.now() < endMs) {
    const { result } = await client.call('eth_blockNumber')
    if (Number(result) === blocks) return
    await pause(POLL_MS)
  }
  throw new Error('The node did not reach the head.')
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(said)
}

function common(): string[] {
  return ['--logging=ERROR', `--data-storage-format=${flags.format}`]
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function sizeOf(path: string): number {
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
}

function judge(what: string, value: number, goal: number, kind: 'least' | 'most', unit: string): void {
  const enough = kind === 'least' ? goal * tolerance : goal / tolerance
  const isReached = kind === 'least' ? value >= enough : value <= enough
  if (!isReached) misses++
  say(`${what} ${value.toFixed(2)} ${unit} (goal ${goal}${isReached ? '' : ', not reached'})`)
}

function rate(tookMs: number): string {
  return `${((1_000 * blocks) / tookMs).toFixed(0)} blocks and ${((1_000 * blocks * transactions) / tookMs).toFixed(0)} transactions per second`
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

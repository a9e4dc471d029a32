/**
 * What reading costs, beside anvil and a bare node:http echo that answers the same bytes.
 * `npm run bench:read -- --seconds 120 --growth 1000,10000`, or some calls only: `--calls eth_call,eth_getBalance`
 *
 * One chain for all: a token transfer in each of 1,000 blocks, 200 in the last. Six calls; cairn with one and with two
 * server threads, then once more while its writer imports a block of 200 transfers every second. The measure is CPU
 * time per call, which suffers less from neighbours than the rate. With --growth, the same calls on chains of those lengths. Exit code
 * 1 when a goal is missed.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTemporaryDirectory } from '#platform/temporary-directory.ts'
import { formatData } from '#types/hex.ts'
import { TOKEN } from './import-workload.ts'
import { makeReadChain, type ReadChain } from './read-chain.ts'
import type { FeedReport, NodeOrder } from './read-jobs.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

const BLOCKS = 1_000
const CONNECTIONS = 32
const WARM_UP_SECONDS = 1
/** What cairn's server threads give themselves; the others must stand in the same queue. */
const SERVER_NICE = 10
const LATE_MS = 100
const GROWTH_MAX = 1.5
const ANVIL_PORT = 18_545
const JSON_HEADERS = { 'content-type': 'application/json' }
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Call {
  readonly name: string
  readonly body: string
  /** Least share of the echo's calls per CPU second. */
  readonly ofEcho?: number
  /** At least as many as anvil per CPU second. */
  readonly asAnvil?: true
}

interface Server {
  readonly pid: number
  readonly port: number
}

const children: ChildProcess[] = []

function callsOn({ holder, blocks }: ReadChain): Call[] {
  const last = `0x${blocks.length.toString(16)}`
  const from = `0x${Math.max(1, blocks.length - 1_000).toString(16)}`
  const before = `0x${(blocks.length - 1).toString(16)}`
  const balanceOf = `0x70a08231${holder.slice(2).padStart(64, '0')}`
  const logs = { fromBlock: from, toBlock: before, address: TOKEN, topics: [TRANSFER_TOPIC] }
  const body = (method: string, ...params: unknown[]): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return [
    { name: 'eth_blockNumber', body: body('eth_blockNumber'), ofEcho: 0.6 },
    { name: 'eth_chainId', body: body('eth_chainId'), ofEcho: 0.6 },
    { name: 'eth_getBalance', body: body('eth_getBalance', holder, 'latest'), ofEcho: 0.5 },
    { name: 'eth_call', body: body('eth_call', { to: TOKEN, data: balanceOf }, 'latest'), ofEcho: 0.3 },
    { name: 'eth_getBlockByNumber', body: body('eth_getBlockByNumber', last, true), asAnvil: true },
    { name: 'eth_getLogs', body: body('eth_getLogs', logs), asAnvil: true },
  ]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      growth: { type: 'string', default: '' },
      calls: { type: 'string', default: '' },
    },
  })
  const named = values.calls.split(',').filter(Boolean)
  const seconds = Number(values.seconds)
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'))
  children.push(generator)
  const chain = await makeReadChain(BLOCKS, Math.ceil(2 * seconds))
  let isMet = await compare(chain, generator, seconds, named)
  const lengths = values.growth.split(',').filter(Boolean).map(Number)
  if (lengths.length > 0) isMet = (await grow(lengths, generator)) && isMet
  process.exitCode = isMet ? 0 : 1
}

/** `named`: only these calls; empty: all. */
async function compare(
  chain: ReadChain,
  generator: ChildProcess,
  seconds: number,
  named: readonly string[],
): Promise<boolean> {
  const calls = callsOn(chain).filter(({ name }) => named.length === 0 || named.includes(name))
  const anvil = await startAnvil(chain)
  const eachSeconds = seconds / (calls.length * (anvil === undefined ? 5 : 6))
  const nodes = [await startCairn(chain, 1), await startCairn(chain, 2)]
  let isMet = true
  for (const call of calls) {
    const measure = (server: Server) => load(generator, server, call.body, eachSeconds)
    const echoing = await startEcho(nodes[0]!, call.body)
    const echo = await measure(echoing)
    echoing.child.kill()
    const beside = anvil && (await measure(anvil))
    for (const [index, node] of nodes.entries()) {
      const own = await measure(node)
      // Apart from the figures: what the writer needs for a block is no cost of a call.
      const fed = feed(node.child, eachSeconds)
      await measure(node)
      const { blocks, worstMs } = await fed
      const ofEcho = echo.cpuMicros / own.cpuMicros
      const ofAnvil = beside && beside.cpuMicros / own.cpuMicros
      const misses = [
        call.ofEcho !== undefined && ofEcho < call.ofEcho ? `goal ${call.ofEcho} of the echo` : '',
        call.asAnvil && ofAnvil !== undefined && ofAnvil < 1 ? 'goal 1 of anvil' : '',
        worstMs > LATE_MS ? `a block came ${worstMs.toFixed(0)} ms after it was due` : '',
      ].filter((each) => each !== '')
      isMet &&= misses.length === 0
      console.log(
        [
          `${call.name}, ${index + 1} server thread${index === 0 ? '' : 's'}:`.padEnd(42),
          describe(own),
          `per CPU s ${ofEcho.toFixed(2)} of the echo${ofAnvil === undefined ? '' : `, ${ofAnvil.toFixed(2)} of anvil`};`,
          `${blocks} blocks, worst ${worstMs.toFixed(0)} ms`,
          misses.length === 0 ? 'met' : `MISSED: ${misses.join(', ')}`,
        ].join('  '),
      )
    }
    console.log(`  echo ${describe(echo)}${beside === undefined ? '' : `  anvil ${describe(beside)}`}`)
  }
  for (const { child } of nodes) await stopNode(child)
  if (anvil === undefined) console.log('anvil is not installed here and was not measured.')
  return isMet
}

/** The same calls on longer chains. */
async function grow(lengths: readonly number[], generator: ChildProcess): Promise<boolean> {
  const costs = new Map<string, number[]>()
  for (const length of lengths) {
    const chain = await makeReadChain(length, 0)
    const node = await startCairn(chain, 1)
    for (const { name, body } of callsOn(chain)) {
      const { cpuMicros } = await load(generator, node, body, 2)
      costs.set(name, [...(costs.get(name) ?? []), cpuMicros])
    }
    await stopNode(node.child)
  }
  let isMet = true
  for (const [name, micros] of costs) {
    const factor = Math.max(...micros) / Math.min(...micros)
    isMet &&= factor <= GROWTH_MAX
    const shown = micros.map((each, index) => `${lengths[index]} blocks ${each.toFixed(0)} µs`).join(', ')
    console.log(
      `${name.padEnd(24)} ${shown}; factor ${factor.toFixed(2)} ${factor <= GROWTH_MAX ? 'met' : 'MISSED'}`,
    )
  }
  return isMet
}

interface Figures {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly p99Ms: number
}

function describe({ perSecond, cpuMicros, p99Ms }: Figures): string {
  return `${perSecond.toFixed(0)}/s, ${cpuMicros.toFixed(0)} µs CPU, p99 ${p99Ms} ms`
}

async function load(
  generator: ChildProcess,
  server: Server,
  body: string,
  seconds: number,
): Promise<Figures> {
  const job: Job = {
    kind: 'http',
    ...server,
    connections: CONNECTIONS,
    seconds: WARM_UP_SECONDS,
    headers: JSON_HEADERS,
    body,
    answerBytes: 0,
  }
  generator.send(job)
  await message<Measurement>(generator)
  generator.send({ ...job, seconds: Math.max(1, Math.round(seconds)) })
  const measured = await message<Measurement>(generator)
  return {
    perSecond: measured.answers / measured.seconds,
    cpuMicros: (measured.serverCpuSeconds / measured.answers) * 1e6,
    p99Ms: measured.p99Ms,
  }
}

async function startCairn(
  chain: ReadChain,
  serverThreads: number,
): Promise<Server & { child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, 'read-node.ts'), { serialization: 'advanced' })
  children.push(child)
  const { genesisText, blocks, further } = chain
  child.send({ kind: 'start', genesisText, blocks, further, serverThreads } satisfies NodeOrder)
  const { http } = await message<{ http: number }>(child)
  return { pid: child.pid!, port: http, child }
}

async function feed(child: ChildProcess, seconds: number): Promise<FeedReport> {
  child.send({ kind: 'feed', seconds } satisfies NodeOrder)
  return await message<FeedReport>(child)
}

async function stopNode(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.send({ kind: 'stop' } satisfies NodeOrder)
  await exited
}

async function startEcho({ port }: Server, body: string): Promise<Server & { child: ChildProcess }> {
  const response = await post(port, body, { 'accept-encoding': 'identity' })
  const headers = [...response.headers].filter(([name]) => name !== 'connection' && name !== 'keep-alive')
  const answer = { headers: headers.flat(), body: await response.text() }
  // A long answer does not fit on a command line.
  const shown = answer.body.length > 50_000 ? { ...answer, body: answer.body.slice(0, 50_000) } : answer
  const sized = shown.headers.map((each, index) =>
    shown.headers[index - 1] === 'content-length' ? String(shown.body.length) : each,
  )
  const child = fork(join(import.meta.dirname, 'echo-server.ts'), [
    JSON.stringify({ ...shown, headers: sized }),
  ])
  children.push(child)
  setPriority(child.pid!, SERVER_NICE)
  const { http } = await message<{ http: number }>(child)
  return { pid: child.pid!, port: http, child }
}

/** The same genesis and the same transactions, mined block by block; undefined where it is not installed. */
async function startAnvil({ genesisText, transactions, blocks }: ReadChain): Promise<Server | undefined> {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const platform = `@foundry-rs/anvil-${process.platform}-${cpu}`
  const program = join(import.meta.dirname, '..', 'node_modules', platform, 'bin', 'anvil')
  if (!existsSync(program)) return undefined
  const folder = createTemporaryDirectory('cairn-bench-')
  const file = join(folder.path, 'genesis.json')
  writeFileSync(file, genesisText)
  const options = ['--silent', '--no-mining', '--base-fee', '0', '--gas-price', '0', '--order', 'fifo']
  const child = spawn(program, ['--init', file, '--port', `${ANVIL_PORT}`, ...options], { stdio: 'ignore' })
  children.push(child)
  child.once('exit', () => folder.remove())
  const server = { pid: child.pid!, port: ANVIL_PORT }
  while (!(await ask(server, 'eth_chainId').catch(() => undefined)));
  setPriority(child.pid!, SERVER_NICE)
  for (const list of transactions.slice(0, blocks.length)) {
    for (const encoded of list) await ask(server, 'eth_sendRawTransaction', formatData(encoded))
    await ask(server, 'evm_mine')
  }
  return server
}

async function ask({ port }: Server, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await post(port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

function post(port: number, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body,
  })
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a process ended before its time'))
    child.once('exit', onExit)
    child.once('message', (value) => {
      child.off('exit', onExit)
      resolve(value as T)
    })
  })
}

try {
  await main()
} finally {
  for (const child of children) child.kill()
}

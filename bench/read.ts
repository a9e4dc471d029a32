/**
 * Compares the cost of reads with anvil, and with a bare node:http server that answers the same bytes.
 * `npm run bench -- read --seconds 120`, or some calls only: `--calls eth_call,eth_getBalance`
 *
 * All use one chain: a token transfer in each of 1,000 blocks, 200 in the last. Six calls, with different accounts, blocks
 * and ranges in turn; cairn runs with one and with two server threads, then once more while its writer imports a block of
 * 200 transfers every second. The figure is CPU time per call, which other programs affect less than the rate. The exit
 * code is 1 if a goal is missed; bench/growth.ts has the same calls on longer chains.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { formatData } from '#types/hex.ts'
import { freePort } from '../test/support/free-port.ts'
import { message } from './child-message.ts'
import { readCalls } from './read-calls.ts'
import { makeReadChain, type ReadChain } from './read-chain.ts'
import type { FeedReport, NodeOrder } from './read-jobs.ts'
import { ask, type Figures, load, post, type Server } from './read-load.ts'
import { type NodeServer, startNode, stopNode } from './read-servers.ts'

const BLOCKS = 1_000
const WARM_UP_SECONDS = 1
/** The nice value of cairn's server threads; the others must have the same. */
const SERVER_NICE = 10
const LATE_MS = 100

const children: ChildProcess[] = []

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      calls: { type: 'string', default: '' },
    },
  })
  const named = values.calls.split(',').filter(Boolean)
  const seconds = Number(values.seconds)
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'))
  children.push(generator)
  const chain = await makeReadChain(BLOCKS, Math.ceil(2 * seconds))
  process.exitCode = (await compare(chain, generator, seconds, named)) ? 0 : 1
}

/** `named` selects calls; all if it is empty. */
async function compare(
  chain: ReadChain,
  generator: ChildProcess,
  seconds: number,
  named: readonly string[],
): Promise<boolean> {
  const calls = readCalls(chain.holders, chain.blocks.length).filter(
    ({ name }) => named.length === 0 || named.includes(name),
  )
  const anvil = await startAnvil(chain)
  const eachSeconds = seconds / (calls.length * (anvil === undefined ? 5 : 6))
  const nodes = [await startCairn(chain, 1), await startCairn(chain, 2)]
  let isMet = true
  for (const call of calls) {
    const measure = async (server: Server) => {
      await load(generator, server, call.bodies, WARM_UP_SECONDS)
      return load(generator, server, call.bodies, eachSeconds)
    }
    const echoing = await startEcho(nodes[0]!, call.bodies[0]!)
    const echo = await measure(echoing)
    echoing.child.kill()
    const beside = anvil && (await measure(anvil))
    for (const [index, node] of nodes.entries()) {
      const own = await measure(node)
      // Measured separately: the writer's CPU time for a block is not a cost of the calls.
      const fed = feed(node.child, eachSeconds)
      await measure(node)
      const { blocks, worstMs } = await fed
      const ofEcho = echo.cpuMicros / own.cpuMicros
      const ofAnvil = beside && beside.cpuMicros / own.cpuMicros
      const misses = [
        call.ofEcho !== undefined && ofEcho < call.ofEcho ? `goal ${call.ofEcho} of the echo` : '',
        call.asAnvil && ofAnvil !== undefined && ofAnvil < 1 ? 'goal 1 of anvil' : '',
        worstMs > LATE_MS ? `a block was ${worstMs.toFixed(0)} ms late` : '',
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
  if (anvil === undefined) console.log('anvil is not installed and was not measured.')
  return isMet
}

function describe({ perSecond, cpuMicros, p99Ms }: Figures): string {
  return `${perSecond.toFixed(0)}/s, ${cpuMicros.toFixed(0)} µs CPU, p99 ${p99Ms} ms`
}

async function startCairn(chain: ReadChain, serverThreads: number): Promise<NodeServer> {
  const { genesisText, blocks, further } = chain
  const node = await startNode({ genesisText, blocks, further, options: { 'rpc-threads': serverThreads } })
  children.push(node.child)
  return node
}

async function feed(child: ChildProcess, seconds: number): Promise<FeedReport> {
  child.send({ kind: 'feed', seconds } satisfies NodeOrder)
  return await message<FeedReport>(child)
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

/**
 * Starts anvil with the same genesis block and transactions, mined block by block; undefined if it is not installed.
 */
async function startAnvil({ genesisText, transactions, blocks }: ReadChain): Promise<Server | undefined> {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const platform = `@foundry-rs/anvil-${process.platform}-${cpu}`
  const program = join(import.meta.dirname, '..', 'node_modules', platform, 'bin', 'anvil')
  if (!existsSync(program)) return undefined
  const folder = createTemporaryDirectory('cairn-bench-')
  const file = join(folder.path, 'genesis.json')
  writeFileSync(file, genesisText)
  const options = ['--silent', '--no-mining', '--base-fee', '0', '--gas-price', '0', '--order', 'fifo']
  const port = await freePort()
  const child = spawn(program, ['--init', file, '--port', `${port}`, ...options], { stdio: 'ignore' })
  children.push(child)
  child.once('exit', () => folder.remove())
  const server = { pid: child.pid!, port }
  while (!(await ask(server, 'eth_chainId').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`anvil ended during its start with code ${child.exitCode}.`)
  }
  setPriority(child.pid!, SERVER_NICE)
  for (const list of transactions.slice(0, blocks.length)) {
    for (const encoded of list) await ask(server, 'eth_sendRawTransaction', formatData(encoded))
    await ask(server, 'evm_mine')
  }
  return server
}

try {
  await main()
} finally {
  for (const child of children) child.kill()
}

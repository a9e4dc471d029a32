/**
 * Compares the cost of reads with anvil, and with a bare node:http server that answers the same bytes.
 * `npm run bench -- read --seconds 120`, or some calls only: `--calls eth_call,eth_getBalance`
 *
 * All use one chain: a token transfer in each of 1,000 blocks, 200 in the last. Six calls, with different accounts, blocks
 * and ranges in turn; cairn runs with one and with two server threads, then once more while its writer imports a block of
 * 200 transfers every second. The figure is CPU time per call, which other programs affect less than the rate. The exit
 * code is 1 if a goal is missed; bench/growth.ts has the same calls on longer chains.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { message } from './child-message.ts'
import { readCalls } from './read-calls.ts'
import { makeReadChain, type ReadChain } from './read-chain.ts'
import type { FeedReport, NodeOrder } from './read-jobs.ts'
import { type Figures, load, type Server } from './read-load.ts'
import { capture, type NodeServer, startAnvil, startEcho, startNode, stopNode } from './read-servers.ts'

const BLOCKS = 1_000
const WARM_UP_SECONDS = 1
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
  const anvil = await startAnvil(chain, children)
  const eachSeconds = seconds / (calls.length * (anvil === undefined ? 5 : 6))
  const nodes = [await startCairn(chain, 1), await startCairn(chain, 2)]
  let isMet = true
  for (const call of calls) {
    const measure = async (server: Server) => {
      await load(generator, server, call.bodies, WARM_UP_SECONDS)
      return load(generator, server, call.bodies, eachSeconds)
    }
    const echoing = await startEcho(await capture(nodes[0]!, call.bodies[0]!), children)
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

try {
  await main()
} finally {
  for (const child of children) child.kill()
}

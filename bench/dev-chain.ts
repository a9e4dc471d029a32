/*
 * Measures snapshots of a development chain: heap growth over many pairs of snapshot and revert, and the CPU time of
 * reverting one block on a short and on a long chain, in one run.
 *
 *   npm run bench -- dev-chain [--pairs 10000] [--blocks 100000] [--folder kept-between-runs] [--judge]
 *
 * Nodes in this process serve the requests, so CPU time includes all their threads. The heap is main's. A run with the same
 * folder continues the long chain of the last run, even of one that was killed.
 * `--judge` fails if the heap grows by 8 MB or more after a warm-up, or if the long chain's revert costs twice as much.
 */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createNode, type EmbeddedNode } from '#node/create-node.ts'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10000' },
    blocks: { type: 'string', default: '100000' },
    folder: { type: 'string' },
    judge: { type: 'boolean', default: false },
  },
})
const PAIRS = Number(values.pairs)
const WARM_PAIRS = 200
const SHORT_CHAIN = 100
const LONG_CHAIN = Number(values.blocks)
const REVERTS = 200
/** Blocks per request. */
const MAX_MINED = 1_000
const MAX_GROWTH_MB = 8
const MAX_FACTOR = 2
const BYTES_PER_MB = 2 ** 20
const MICROSECONDS_PER_MS = 1_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const dev = { network: 'dev', options: { logging: 'OFF' } } as const
{
  await using short = await createNode(dev)
  await using long = await createNode({ ...dev, ...(values.folder && { dataPath: values.folder }) })
  const growthMb = await measureHeap(asker(short))
  console.log(`heap: ${growthMb.toFixed(1)} MB more after ${PAIRS} pairs of snapshot and revert`)
  await mineUpTo(asker(short), SHORT_CHAIN)
  await mineUpTo(asker(long), LONG_CHAIN)
  const shortMs = await measureReverts(asker(short))
  const longMs = await measureReverts(asker(long))
  const factor = longMs / shortMs
  console.log(`a block and its revert: ${shortMs.toFixed(2)} ms of CPU at ${SHORT_CHAIN} blocks`)
  console.log(
    `a block and its revert: ${longMs.toFixed(2)} ms of CPU at ${LONG_CHAIN} blocks, factor ${factor.toFixed(2)}`,
  )
  if (values.judge && (growthMb >= MAX_GROWTH_MB || factor >= MAX_FACTOR)) {
    console.log(`FAILED: at most ${MAX_GROWTH_MB} MB and a factor of ${MAX_FACTOR}`)
    process.exitCode = 1
  }
}

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

function asker({ provider }: EmbeddedNode): Ask {
  return (method, ...params) => provider.request({ method, params })
}

async function measureHeap(ask: Ask): Promise<number> {
  const pairs = async (count: number): Promise<number> => {
    for (let made = 0; made < count; made++) {
      const id = await ask('evm_snapshot')
      await ask('anvil_setBalance', `0x${'77'.repeat(20)}`, '0x1')
      await ask('evm_revert', id)
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await pairs(WARM_PAIRS)
  return ((await pairs(PAIRS)) - before) / BYTES_PER_MB
}

async function measureReverts(ask: Ask): Promise<number> {
  const start = process.cpuUsage()
  for (let made = 0; made < REVERTS; made++) {
    const id = await ask('evm_snapshot')
    await ask('evm_mine')
    await ask('evm_revert', id)
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / MICROSECONDS_PER_MS / REVERTS
}

async function mineUpTo(ask: Ask, height: number): Promise<void> {
  for (;;) {
    const missing = height - Number(await ask('eth_blockNumber'))
    if (missing <= 0) return
    await ask('hardhat_mine', `0x${Math.min(missing, MAX_MINED).toString(16)}`)
  }
}

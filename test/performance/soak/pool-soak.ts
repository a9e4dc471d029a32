/**
 * A validator under a steady load of transactions, with subscribers, polling filters and traces. Every accepted
 * transaction must be mined once, every subscriber must receive every block once and in order, and memory must not grow.
 *
 *   npm run nightly -- soak-pool [--seconds 1200] [--rate 100] [--subscribers 50]
 */
import { parseArgs } from 'node:util'
import { HeapProbe } from '../../support/heap-probe.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { TransferLoad } from '../../support/transfer-load.ts'
import { makeNetwork, moreBlocks } from '../../support/validator-network.ts'
import { type MemorySample, readMemory, trendOf } from './memory-trend.ts'
import { HeadSubscriber, pause, pollFilters, traceBlocks } from './soak-clients.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    subscribers: { type: 'string', default: '50' },
  },
})
const SECONDS = Number(values.seconds)
const PERIOD_MS = 1_000
const SENDERS = 48
const FILTERS = 8
const SAMPLE_MS = 2_000
const END_WITHIN_MS = 60_000
const JUDGED = ['main', 'writer', 'external']
/**
 * Threads that read the chain cache blocks and receipts: their caches (chain/read/lookup.ts, 84 MiB) fill for half an
 * hour, by 2 MB per minute. With caches of 1.5 MiB in all, the same threads gain 0.1 to 0.2 MB. Main gains 0.3 MB per
 * minute until the pool remembers 65,536 hashes for filters (pool/recent.ts).
 */
const READER = /^(server|engine)-/
const READER_MAX_MEGABYTES = 192
/** Maximum growth from the second quarter to the last; V8 heaps vary that much. */
const MAX_GROWTH = 0.25
/** In a short run, a total growth below this is not judged. */
const UNHEEDED_MEGABYTES = 24
/** Maximum time between two blocks, in periods. On a busy machine one may be late. */
const MAX_GAP_PERIODS = 4

interface MinedBlock {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

const mistakes: string[] = []
const require = (isRight: boolean, mistake: string): void => {
  if (!isRight) mistakes.push(mistake)
}
const cleanups: (() => unknown)[] = []
const load = new TransferLoad(SENDERS)
try {
  await soak()
} finally {
  for (const clean of cleanups.reverse()) await clean()
}
for (const mistake of mistakes) console.log(`MISTAKE: ${mistake}`)
process.exitCode = mistakes.length === 0 ? 0 : 1

async function soak(): Promise<void> {
  const context = { after: (clean: () => unknown) => void cleanups.push(clean) }
  const network = makeNetwork(context as never, 'qbft', load.alloc(), PERIOD_MS)
  const options = ['--rpc-ws-enabled', '--rpc-http-api=ETH,TRACE,DEBUG', '--rpc-engine-threads=1']
  const args = network.args.filter((arg) => !arg.startsWith('--rpc-engine-threads'))
  process.env.NODE_OPTIONS = '--inspect=127.0.0.1:0'
  const node = await startNode([...args, ...options], network.data)
  cleanups.push(() => node.kill())
  await moreBlocks(node, 1)
  const subscribers = await Promise.all(
    Array.from({ length: Number(values.subscribers) }, (_, index) =>
      HeadSubscriber.open(node.websocket, index % 5 === 0 ? ['newPendingTransactions', 'logs'] : []),
    ),
  )
  const ending = new AbortController()
  const samples: MemorySample[] = []
  const filters = Promise.all(Array.from({ length: FILTERS }, () => pollFilters(node.http, ending.signal)))
  const traces = traceBlocks(node.http, ending.signal)
  const sampling = sampleMemory(node, samples, ending.signal)
  await load.run(node.http, { perSecond: Number(values.rate), signal: AbortSignal.timeout(SECONDS * 1_000) })
  await untilOrLate(() => load.isMined(node.http))
  ending.abort()
  const polled = await filters
  console.log(`${await traces} traces answered`)
  await sampling
  const blocks = await readBlocks(node)
  // Events may still be on their way on a busy machine; a lost one never arrives.
  await untilOrLate(() => subscribers.every((each) => each.mistake(blocks.length) === undefined))
  judgeChain(blocks)
  judgeSubscribers(subscribers, blocks)
  judgeFilters(polled, blocks)
  judgeMemory(samples)
  for (const subscriber of subscribers) subscriber.close()
  require((await node.stop()) === 0, 'the node did not stop cleanly')
  require(!/"level":"ERROR"/.test(node.output()), `the node logged an error: ${node.output().slice(-2_000)}`)
}

/** Returns silently at the time limit: the checks report what is missing. */
async function untilOrLate(holds: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + END_WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > untilMs) return
    await pause(PERIOD_MS)
  }
}

async function sampleMemory(node: RunningNode, samples: MemorySample[], signal: AbortSignal): Promise<void> {
  const [, address] = /Metrics service started and listening on (\S+:\d+)/.exec(node.output()) ?? []
  const probe = await HeapProbe.open(node.output())
  while (!signal.aborted) {
    const heaps = await probe.heaps()
    const text = await (await fetch(`http://${address}/metrics`)).text()
    samples.push(readMemory(heaps, text, performance.now()))
    await pause(SAMPLE_MS)
  }
  probe.close()
}

async function readBlocks(node: RunningNode): Promise<MinedBlock[]> {
  const client = openRpcClient(node.http)
  const head = Number((await client.call('eth_blockNumber')).result)
  const blocks: MinedBlock[] = []
  for (let number = 1; number <= head; number++) blocks.push(await blockAt(client, number))
  client.close()
  return blocks
}

async function blockAt(client: RpcClient, number: number): Promise<MinedBlock> {
  return (await client.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).result as MinedBlock
}

function judgeChain(blocks: readonly MinedBlock[]): void {
  const mined = blocks.flatMap(({ transactions }) => transactions)
  const once = new Set(mined)
  const lost = [...load.accepted].filter((hash) => !once.has(hash))
  require(once.size === mined.length, `${mined.length - once.size} transactions are in two blocks`)
  require(lost.length === 0, `${lost.length} accepted transactions are not in a block: ${lost.slice(0, 3)}`)
  require(load.refusals.length === 0, `${load.refusals.length} were refused: ${load.refusals.slice(0, 3)}`)
  // The first block follows the genesis block, which may have any time.
  const times = blocks.map(({ timestamp }) => Number(timestamp))
  const gaps = times.slice(1).map((time, index) => time - times[index]!)
  const largest = Math.max(...gaps)
  const late = gaps.filter((gap) => gap * 1_000 > PERIOD_MS).length
  require(largest * 1_000 <= MAX_GAP_PERIODS * PERIOD_MS, `no block for ${largest} s`)
  console.log(
    `${load.accepted.size} transactions accepted and mined once, in ${blocks.length} blocks; ${late} blocks late, the latest by ${largest - PERIOD_MS / 1_000} s`,
  )
}

function judgeSubscribers(subscribers: readonly HeadSubscriber[], blocks: readonly MinedBlock[]): void {
  for (const [index, subscriber] of subscribers.entries()) {
    const mistake = subscriber.mistake(blocks.length)
    require(mistake === undefined, `subscriber ${index} ${mistake}`)
  }
  const heads = subscribers.reduce((sum, { numbers }) => sum + numbers.length, 0)
  const others = subscribers.reduce((sum, subscriber) => sum + subscriber.others, 0)
  console.log(
    `${subscribers.length} subscribers received ${heads} heads in order, and ${others} other events`,
  )
}

function judgeFilters(polled: readonly (readonly string[])[], blocks: readonly MinedBlock[]): void {
  const hashes = blocks.map(({ hash }) => hash)
  for (const [index, found] of polled.entries()) {
    const from = hashes.indexOf(found[0] ?? '')
    const isRight = found.length > 0 && found.every((hash, at) => hash === hashes[from + at])
    require(isRight, `filter ${index} returned other blocks than the chain has`)
  }
  console.log(`${polled.length} filters returned ${polled.flat().length} blocks`)
}

function judgeMemory(samples: readonly MemorySample[]): void {
  for (const name of Object.keys(samples.at(-1)!.bytes)) {
    const { megabytes, megabytesPerMinute, growth } = trendOf(samples, name)
    console.log(
      `${name}: ${megabytes.toFixed(1)} MB at the end, ${megabytesPerMinute.toFixed(2)} MB per minute, ${(growth * 100).toFixed(1)} %`,
    )
    if (READER.test(name))
      require(megabytes <= READER_MAX_MEGABYTES, `${name} holds ${megabytes.toFixed(0)} MB`)
    // Resident memory includes freed memory, and the sum of heaps includes the readers' caches.
    if (!JUDGED.includes(name)) continue
    const grownMegabytes = megabytes - megabytes / (1 + growth)
    require(growth <= MAX_GROWTH ||
      grownMegabytes <= UNHEEDED_MEGABYTES, `${name} grew by ${grownMegabytes.toFixed(1)} MB`)
  }
}

/*
 * Validators whose archive accepts connections and never answers, returns one byte per second, or refuses connections.
 * Blocks stay on time, requests for recent blocks are not delayed, requests for old blocks fail in bounded time, and
 * everything returns with the archive.
 */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { call, GENESIS_TEXT, LOGGER, openArchive, silentLog } from '#chain/chain.fixture.ts'
import { RESTLESS } from '#chain/write/move-history.fixture.ts'
import { HistoryMover } from '#chain/write/move-history.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { extend, testValidators } from '#consensus/network.fixture.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { systemClock } from '#platform/clock.ts'
import { S3Store } from '#platform/object-store/s3-store.ts'
import { ArchiveKeeper } from '#store/archive/archive-keeper.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { type HostileLink, type LinkMode, openHostileLink } from '../../support/hostile-link.ts'
import { ask, HOT_BLOCKS, hex, segmentsIn } from '../../support/old-blocks.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { findS3Server, type S3Server, startS3Server } from '../../support/s3-server.ts'

const program = findS3Server()
const skip = program === undefined && 'Go is missing, which builds versitygw'
/** A segment has one chunk of contents, so there are more of them than a thread fetches at once. */
const SEGMENTS = 70
const SEGMENT_BLOCKS = 2
const MOVED = SEGMENTS * SEGMENT_BLOCKS
const HEAD = MOVED + HOT_BLOCKS
const OLD_READS = 200
const STOPPED_READS = 50
const POLL_MS = 50
const WAIT_MS = 30_000
/** A request to the archive has 15 s; the rest is for a busy machine. */
const OLD_READ_MAX_MS = 20_000
/** Fractions of what a request would wait that stood behind the archive. */
const RECENT_READ_MAX_MS = 5_000
const REFUSED_READ_MAX_MS = 5_000
/** Running requests have 5 s. */
const STOP_MAX_MS = 9_000
/** Blocks are due every second. */
const BLOCK_GAP_MAX_SECONDS = 3
const MEMORY_MAX_MB = 100
const UNAVAILABLE = /^History archive unavailable \(Retry later\. The node log has the reason\)$/

interface Validator {
  readonly data: string
  readonly database: string
  readonly node: RunningNode
  readonly link: HostileLink
}

interface TimedAnswer {
  readonly ms: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, what)
    await setTimeout(POLL_MS)
  }
}

/** Writes a chain that its only validator sealed. The contents of its old blocks are only in the archive. */
async function makeChain(data: string, server: S3Server): Promise<void> {
  const validators = testValidators(1)
  const [author] = validators
  const { config, ...rest } = JSON.parse(GENESIS_TEXT)
  const extraData = formatData(encodeGenesisExtraData('qbft', [author!.address]))
  const qbft = { blockperiodseconds: 1, requesttimeoutseconds: 2 }
  const text = JSON.stringify({ ...rest, config: { ...config, qbft }, extraData })
  const verdict = parseGenesis(text)
  assert.ok(verdict.ok)
  const kv = await openLevelKv(join(data, 'database'), { createIfMissing: true })
  const chain = await openArchive(verdict.genesis, kv, { engine: await createJsEngine(), createHeaderRules })
  for (let block = 0; block < HEAD; block++) {
    const isFull = block < MOVED || block === HEAD - 1
    const transactions = isFull ? [call(Math.min(block, MOVED), LOGGER)] : []
    assert.ok((await extend(chain, { validators, author: author!, transactions })).ok)
  }
  const sizes = { hotBlocks: HOT_BLOCKS, segmentBlocks: SEGMENT_BLOCKS }
  const { store } = chain
  await new HistoryMover({ store, keccak: keccak256, clock: RESTLESS, log: silentLog, ...sizes }).moveAll()
  const place = { url: `${server.url}/test`, region: 'us-east-1', credentialsFile: server.credentialsFile }
  const objects = new S3Store(place, systemClock)
  const { signal } = new AbortController()
  const parts = { store, objects, clock: RESTLESS, log: silentLog, localBytes: 0, signal }
  await new ArchiveKeeper(parts).run()
  objects.close()
  await chain.close()
  writeFileSync(join(data, 'genesis.json'), text)
  writeFileSync(join(data, 'key'), Buffer.from(author!.key).toString('hex'), { mode: 0o600 })
}

async function start(context: TestContext, data: string, server: S3Server, port: number) {
  const url = new URL(server.url)
  url.port = String(port)
  const args = [
    `--genesis-file=${join(data, 'genesis.json')}`,
    '--data-storage-format=FOREST',
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,TRACE,DEBUG',
    '--rpc-http-max-active-connections=400',
    '--rpc-engine-threads=1',
    '--discovery-enabled=false',
    `--history-hot-blocks=${HOT_BLOCKS}`,
    `--history-archive=${url.href}/test`,
    `--history-archive-credentials-file=${server.credentialsFile}`,
    '--history-local-bytes=0',
    '--history-cache-bytes=0',
  ]
  const node = await startNode(args, data)
  context.after(() => node.kill())
  return node
}

async function read(port: number, method: string, ...params: unknown[]): Promise<TimedAnswer> {
  const client = openRpcClient(port)
  const startMs = performance.now()
  try {
    const answer = await client.call(method, ...params)
    return { ...answer, ms: performance.now() - startMs }
  } finally {
    client.close()
  }
}

/** Half of them run on the server, half on the engine thread. */
function readOldBlocks({ http }: RunningNode, count: number): Promise<TimedAnswer[]> {
  const one = (index: number): Promise<TimedAnswer> => {
    const number = hex(1 + ((index * SEGMENT_BLOCKS) % (MOVED - 1)))
    return index % 2 === 0
      ? read(http, 'eth_getBlockByNumber', number, true)
      : read(http, 'trace_block', number)
  }
  return Promise.all(Array.from({ length: count }, (_, index) => one(index)))
}

async function requireRecentReads({ http }: RunningNode): Promise<void> {
  for (const [method, ...params] of [
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getBlockByNumber', hex(HEAD), true],
    ['eth_getUncleCountByBlockNumber', hex(HEAD)],
    ['trace_block', hex(HEAD)],
    ['eth_call', { to: LOGGER }, 'latest'],
    ['debug_traceBlockByNumber', hex(HEAD)],
  ] as const) {
    const { error, ms } = await read(http, method, ...params)
    assert.equal(error, undefined, method)
    assert.ok(ms < RECENT_READ_MAX_MS, `${method} took ${ms} ms`)
  }
}

function requireUnavailable(answers: readonly TimedAnswer[], maxMs: number): void {
  for (const { error, ms } of answers) {
    assert.equal(error?.code, -32603, JSON.stringify(error))
    assert.match(error.message, UNAVAILABLE)
    assert.ok(ms < maxMs, `${ms} ms`)
  }
}

async function requireBlocksOnTime({ http }: RunningNode, from: number, seconds: number): Promise<void> {
  const client = openRpcClient(http)
  const head = Number(await ask(client, 'eth_blockNumber'))
  const times: number[] = []
  for (let number = from; number <= head; number++) {
    const block = (await ask(client, 'eth_getBlockByNumber', hex(number), false)) as { timestamp: string }
    times.push(Number(block.timestamp))
  }
  client.close()
  assert.ok(times.at(-1)! - times[0]! >= seconds - BLOCK_GAP_MAX_SECONDS, `blocks until now: ${times}`)
  for (const [at, time] of times.entries())
    assert.ok(at === 0 || time - times[at - 1]! <= BLOCK_GAP_MAX_SECONDS, `gaps: ${times}`)
}

function memoryMb({ pid }: RunningNode): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024
}

async function heightOf({ http }: RunningNode): Promise<number> {
  return Number((await read(http, 'eth_blockNumber')).result)
}

/** Everything that holds while the archive is in trouble. */
async function requireIndependence({ node }: Validator, maxMs: number): Promise<void> {
  await requireRecentReads(node)
  const [memory, height, startMs] = [memoryMb(node), await heightOf(node), performance.now()]
  const answers = readOldBlocks(node, OLD_READS)
  await setTimeout(POLL_MS)
  await requireRecentReads(node)
  requireUnavailable(await answers, maxMs)
  // Once the archive has failed, requests do not wait for it.
  requireUnavailable(await readOldBlocks(node, OLD_READS), REFUSED_READ_MAX_MS)
  await requireBlocksOnTime(node, height, (performance.now() - startMs) / 1_000)
  const grown = memoryMb(node) - memory
  assert.ok(grown < MEMORY_MAX_MB, `${grown} MB more`)
}

/** Blocks that moved meanwhile are uploaded, and every old block is there. */
async function requireRecovery({ node, link, database }: Validator): Promise<void> {
  await until('blocks move', () => segmentsIn(database).length > 0)
  await link.set('open')
  for (const method of ['eth_getBlockReceipts', 'trace_block'])
    await until(`${method} returns`, async () => (await read(node.http, method, hex(3))).error === undefined)
  for (const { error } of await readOldBlocks(node, SEGMENTS)) assert.equal(error, undefined)
  await until('segments are uploaded', () => segmentsIn(database).length === 0)
}

async function requireStopWhileHanging({ node, link }: Validator): Promise<void> {
  await link.set('silent')
  const hanging = readOldBlocks(node, STOPPED_READS).catch(() => undefined)
  await until('requests wait for the archive', () => link.connections() > 0)
  const startMs = performance.now()
  assert.equal(await node.stop(), 0)
  assert.ok(performance.now() - startMs < STOP_MAX_MS)
  await hanging
}

test('a validator makes blocks and answers while its archive hangs, drips or refuses, and recovers', {
  skip,
  timeout: 200_000,
}, async (context) => {
  const server = await startS3Server(context, program!)
  const port = Number(new URL(server.url).port)
  const data = temporaryDirectory(context)
  await makeChain(data, server)
  assert.equal(segmentsIn(join(data, 'database')).length, 0)
  const validatorWith = async (mode: LinkMode): Promise<Validator> => {
    const copy = temporaryDirectory(context)
    cpSync(data, copy, { recursive: true })
    const link = await openHostileLink(context, port, mode)
    return {
      data: copy,
      database: join(copy, 'database'),
      node: await start(context, copy, server, link.port),
      link,
    }
  }
  const hanging = async (mode: LinkMode): Promise<void> => {
    const validator = await validatorWith(mode)
    await requireIndependence(validator, OLD_READ_MAX_MS)
    await requireRecovery(validator)
    assert.equal(await validator.node.stop(), 0)
    assert.match(validator.node.output(), /History archive failed/)
    assert.match(validator.node.output(), /History archive answers again/)
  }
  const refusing = async (): Promise<void> => {
    const validator = await validatorWith('closed')
    await requireIndependence(validator, REFUSED_READ_MAX_MS)
    await requireRecovery(validator)
    await requireStopWhileHanging(validator)
  }
  await Promise.all([hanging('silent'), hanging('slow'), refusing()])
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CONTRACTS } from '#api/contracts.ts'
import { openChainOnDisk } from '#chain/chain.fixture.ts'
import { defaultsOf } from '#config/option.ts'
import { rpcOptions } from '#jsonrpc/settings/options.ts'
import { shareSubscriptions } from '#jsonrpc/subscriptions/subscription-slots.ts'
import { shareOut } from '#jsonrpc/threads/share-ports.ts'
import { systemClock as clock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { SharedProgress } from '#sync/sync-progress.ts'
import { RpcThreads } from './rpc-threads.ts'
import { type MainOwners, SERVER_CONTRACTS } from './server-protocol.ts'
import type { ApiServerConfig } from './server-thread.ts'

const CONFIG: Omit<ApiServerConfig, 'chain'> = {
  clientVersion: 'cairn/test',
  networkId: 1n,
  rpc: { ...defaultsOf(rpcOptions), hostAllowlist: ['*'] },
  submissions: { feeCapWei: 0n, needsChainId: false, convertsBlobs: false },
  http: {
    host: '127.0.0.1',
    port: 0,
    apis: ['WEB3'],
    maxConnections: 100,
    timeoutMs: 10_000,
    authentication: { mode: 'off' },
    tls: null,
    maxBatchSize: 10,
    maxBodyBytes: 1_000,
    streamingTimeoutMs: 10_000,
    corsOrigins: [],
  },
  websocket: null,
  pipeline: null,
  enginePort: null,
  consoleNodes: [],
  takesInProcess: true,
  limits: {
    gasCap: 0,
    maxLogsRange: 0,
    maxLogsBlocks: 0,
    maxTraceFilterRange: 0,
    maxRequestBytes: 1,
    estimateGasTolerance: 0,
    gasPriceBlocks: 1,
    gasPricePercentile: 50,
    gasPriceMax: 1,
    maxActiveFilters: 0,
    filterTimeoutSeconds: 1,
  },
  sharing: null,
  subscriptions: { max: 10, shared: shareSubscriptions(1), server: 0 },
  pluginMethods: [],
  userLimits: null,
  syncProgress: new SharedProgress().memory,
  devKeys: undefined,
  callLogSwitch: undefined,
  methodModules: [new URL('./rpc-threads.fixture.ts', import.meta.url).href],
}

const unasked = () => assert.fail()

/** Nobody asks main for anything here but the head. */
const OWNERS = Object.fromEntries(
  Object.entries({ ...CONTRACTS, ...SERVER_CONTRACTS }).map(([port, table]) => [
    port,
    Object.fromEntries(Object.keys(table).map((name) => [name, unasked])),
  ]),
) as unknown as MainOwners

async function start(t: TestContext, count: number) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', format: 'JSON', clock, destination })
  const metrics = createMetrics({ prefix: 'cairn_', onSourceError: () => undefined })
  const { reading, head } = await openChainOnDisk(t)
  const config = { ...CONFIG, chain: { ...reading, engine: 'js', hasEngineThreads: false } }
  const servers = await shareOut(config, count, unasked)
  const threads = new RpcThreads(
    { servers, engines: 0, engine: undefined },
    { owners: { ...OWNERS, heads: { last: head } }, log, metrics, threads: silentThreads({ metrics }) },
  )
  t.after(() => threads.stop(5_000))
  await threads.start()
  const call = async (method: string): Promise<string> => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}"}`
    const headers = { connection: 'close' }
    const url = `http://127.0.0.1:${threads.addresses.http?.port}`
    return (await fetch(url, { method: 'POST', body, headers })).text()
  }
  return { config, threads, call, lines, metrics }
}

test('a server thread that ends before its time is replaced on the same port, and said so', async (t) => {
  const { threads, call, lines } = await start(t, 1)
  assert.match((await threads.call('{"id":1,"method":"web3_clientVersion"}')).text, /cairn\/test/)
  assert.match(await call('web3_clientVersion'), /cairn\/test/)
  await assert.rejects(call('web3_plantedDeath'))
  let answer = ''
  while (answer === '') answer = await call('web3_clientVersion').catch(() => '')
  assert.match(answer, /cairn\/test/)
  assert.equal(lines.filter((line) => line.includes('starting a replacement')).length, 1)
})

test('several servers share one exclusive port, and their metrics are merged', async (t) => {
  const { config, threads, call, metrics } = await start(t, 2)
  const answers = await Promise.all(Array.from({ length: 30 }, () => call('web3_clientVersion')))
  assert.equal(answers.filter((answer) => answer.includes('cairn/test')).length, 30)
  const { body } = await metrics.exposition()
  assert.match(body, /rpc_request_time_count\{method="web3_clientVersion"\} 30/)
  const http = { ...config.http!, port: threads.addresses.http!.port }
  const sharedOut = shareOut({ ...config, http }, 2, () => undefined)
  await assert.rejects(sharedOut, { kind: 'ADDRESS_IN_USE' })
})

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { signedTransfer } from '../../support/signed-transfer.ts'
import { endThread, plantDeath } from './planted-death.ts'
import { until } from './plugin-bodies.ts'

const [account] = DEV_ACCOUNTS

const BLOCK_COUNTER = `import { definePlugin } from 'cairn-node/plugin'
export default definePlugin({
  name: 'counter', version: '1',
  metrics: { blocks: { kind: 'counter', help: 'Blocks heard.' } },
  on: { block: { handle: (_, node) => node.metrics.blocks.add(1) } },
})
`

async function start(t: TestContext) {
  const data = temporaryDirectory(t)
  mkdirSync(join(data, 'plugins'))
  writeFileSync(join(data, 'plugins', 'counter.ts'), BLOCK_COUNTER)
  const services = ['--rpc-http-enabled', '--rpc-http-api=ADMIN,ETH,TRACE', '--metrics-enabled']
  const args = [
    '--network=dev',
    '--p2p-enabled=true',
    '--rpc-threads=1',
    '--rpc-engine-threads=1',
    '--logging-format=JSON',
    ...services,
  ]
  const node = await startNode(args, data, undefined, { nodeFlags: [plantDeath(data)] })
  t.after(() => node.kill())
  const client = openRpcClient(node.http)
  t.after(() => client.close())
  const [, port] = /Metrics service started and listening on \S+?:(\d+)/.exec(node.output())!
  const { output, stop } = node
  let nonce = 0n
  return {
    stop,
    call: client.call,
    makeBlock: () => client.call('eth_sendRawTransaction', signedTransfer(account!, nonce++)),
    height: async () => Number((await client.call('eth_blockNumber')).result),
    /** Returns 0 if the metric is missing. */
    metric: async (name: string): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const line = text.split('\n').find((each) => each.startsWith(`${name} `))
      return Number(line?.slice(name.length) ?? 0)
    },
    levelChangesOf: (thread: string) => {
      const lines = output().split('\n')
      const isChange = (line: string) => line.includes('Changed the log level')
      return lines.filter((line) => line.includes(`"thread":"${thread}"`) && isChange(line)).length
    },
    limitsOf: (thread: string) => JSON.parse(readFileSync(join(data, `${thread}.limits`), 'utf8')),
    end: (thread: string) => endThread(data, thread),
  }
}

type Node = Awaited<ReturnType<typeof start>>

interface Supervised {
  readonly thread: string
  readonly youngGenerationMb: number | undefined
  /** A metric that only this thread reports. */
  readonly metric: string
  /** Raises the metric, if anything can. */
  readonly use?: (node: Node) => Promise<unknown>
}

const ENGINE: Supervised = {
  thread: 'engine-0',
  youngGenerationMb: undefined,
  metric: 'cairn_rpc_engine_requests_total',
  use: ({ call }) => call('trace_call', { to: account!.address }, ['trace'], 'latest'),
}

const SUPERVISED: readonly Supervised[] = [
  {
    thread: 'server-0',
    youngGenerationMb: 32,
    metric: 'cairn_rpc_request_time_count{method="eth_chainId"}',
    use: ({ call }) => call('eth_chainId'),
  },
  ENGINE,
  { thread: 'peers', youngGenerationMb: 32, metric: 'ethereum_peer_limit' },
  {
    thread: 'plugin-counter',
    youngGenerationMb: 16,
    metric: 'cairn_plugin_counter_blocks_total',
    use: ({ makeBlock }) => makeBlock(),
  },
]

const LIMIT = { timeout: 300_000 }

test('the successor of a thread has its log level, metrics, heads and heap limit', LIMIT, async (t) => {
  const node = await start(t)
  await ENGINE.use!(node)
  assert.equal((await node.call('admin_changeLogLevel', 'DEBUG')).result, 'Success')
  for (const { thread, youngGenerationMb, metric, use } of SUPERVISED) {
    await t.test(thread, async () => {
      const heap = `process_thread_heap_bytes{thread="${thread}"}`
      const isWatched = async () => (await node.metric(heap)) > 0
      await use?.(node)
      await until(async () => (await isWatched()) && (await node.metric(metric)) > 0)
      assert.equal(node.levelChangesOf(thread), 1)
      const before = await node.metric(metric)

      node.end(thread)
      await until(() => node.levelChangesOf(thread) === 2)
      await until(isWatched)
      await until(async () => {
        // Connections fail while a server thread is replaced.
        await use?.(node).catch(() => undefined)
        const value = await node.metric(metric)
        return use === undefined ? value === before : value > before
      })
      if (youngGenerationMb !== undefined) {
        assert.equal(node.limitsOf(thread).maxYoungGenerationSizeMb, youngGenerationMb)
      }
      const height = await node.height()
      await node.makeBlock()
      await until(async () => (await node.height()) > height)
    })
  }
  assert.equal(await node.stop(), 0)
})

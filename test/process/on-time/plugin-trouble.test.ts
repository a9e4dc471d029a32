/*
 * One of four validators carries plugins that hang, throw, flood and leak, in one hook after the other: blocks come as without them, and that
 * validator goes on proposing. The gate has one trouble of each kind; CAIRN_PLUGIN_TROUBLE=all has every hook and compares block times within a tenth.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openRpcClient, type RpcClient } from '../rpc-client.ts'
import type { RunningNode } from '../running-node.ts'
import { TransferLoad } from '../transfer-load.ts'
import { makeValidators, start } from '../validator-network.ts'

const IS_WHOLE = process.env.CAIRN_PLUGIN_TROUBLE === 'all'
const PERIOD_MS = 500
/** As far as a validator that waits for others on a busy machine may be behind. */
const TOLERANCE = IS_WHOLE ? 0.1 : 1
const CALM_BLOCKS = IS_WHOLE ? 60 : 8
const SENT_PER_SECOND = 20

const HOOKS = [
  'admission',
  'selection',
  'block',
  'poolAdded',
  'round',
  'method',
  'health',
  'reload',
  'connections',
] as const
const MODES = {
  hang: 'while (true);',
  throw: "throw new Error('trouble')",
  flood:
    "setInterval(() => { for (let i = 0; i < 300; i++) { node.request('eth_blockNumber').catch(() => undefined); console.log('flood') } }, 1)",
  leak: 'const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length))',
} as const

interface Trouble {
  readonly hook: (typeof HOOKS)[number]
  readonly mode: keyof typeof MODES
}

const SOME: readonly Trouble[] = [
  { hook: 'selection', mode: 'hang' },
  { hook: 'admission', mode: 'hang' },
  { hook: 'block', mode: 'leak' },
  { hook: 'round', mode: 'throw' },
  { hook: 'poolAdded', mode: 'flood' },
]

/** Armed by its method, it makes trouble once: one that was started again is calm. */
function pluginOf({ hook, mode }: Trouble, name: string): string {
  return `import { definePlugin } from 'cairn-node/plugin'
let isArmed = false
const meet = (hook, node) => {
  if (!isArmed || hook !== '${hook}') return
  isArmed = ${mode === 'throw'}
  ${MODES[mode]}
}
export default definePlugin({
  name: '${name}',
  version: '1.0.0',
  methods: {
    arm: { summary: 'Arms it.', run: () => { isArmed = true; return true } },
    method: { summary: 'Makes trouble.', deadlineMs: 1_000, run: (_, node) => { meet('method', node); return true } },
  },
  admission: { onFailure: 'admit', judge: (all, node) => { meet('admission', node); return all.map(() => true) } },
  selection: { onFailure: 'admit', judge: (all, block, node) => { meet('selection', node); return all.map(() => true) } },
  connections: { onFailure: 'admit', judge: (peer, node) => { meet('connections', node); return true } },
  health: { check: (node) => { meet('health', node); return undefined } },
  reload: (node) => meet('reload', node),
  timeouts: { reloadMs: 1_000 },
  on: {
    block: { handle: (block, node) => meet('block', node) },
    poolAdded: (all, node) => meet('poolAdded', node),
    round: (round, node) => meet('round', node),
  },
})
`
}

interface Network {
  readonly troubled: RunningNode
  readonly others: readonly RunningNode[]
  readonly clients: readonly RpcClient[]
  readonly validator: string
}

async function startNetwork(
  t: TestContext,
  load: TransferLoad,
  troubles: readonly Trouble[],
): Promise<Network> {
  const networks = makeValidators(t, 'qbft', 4, load.alloc(), PERIOD_MS)
  const [first] = networks
  mkdirSync(join(first!.data, 'plugins'))
  for (const [index, trouble] of troubles.entries()) {
    const name = `trouble${index}`
    writeFileSync(join(first!.data, 'plugins', `${name}.ts`), pluginOf(trouble, name))
  }
  const apis = ['ETH,NET,ADMIN,PLUGINS', ...troubles.map((_, index) => `TROUBLE${index}`)].join()
  const nodes = await Promise.all(
    networks.map((network, index) =>
      start(
        t,
        index === 0
          ? {
              ...network,
              args: [...network.args, `--rpc-http-api=${apis}`].filter(
                (arg) => arg !== '--rpc-http-api=ETH,BFT,DEBUG,ADMIN,NET',
              ),
            }
          : network,
      ),
    ),
  )
  const clients = nodes.map((node) => openRpcClient(node.http))
  t.after(() => {
    for (const client of clients) client.close()
  })
  for (const client of clients.slice(1)) {
    const { result } = await client.call('admin_addPeer', enodeOf(nodes[0]!))
    assert.equal(result, true)
  }
  await clients[2]!.call('admin_addPeer', enodeOf(nodes[1]!))
  await clients[3]!.call('admin_addPeer', enodeOf(nodes[1]!))
  await clients[3]!.call('admin_addPeer', enodeOf(nodes[2]!))
  const [troubled, ...others] = nodes as [RunningNode, ...RunningNode[]]
  return { troubled, others, clients, validator: first!.validator }
}

function enodeOf(node: RunningNode): string {
  return /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())![1]!
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
const headOf = async (client: RpcClient) => Number((await client.call('eth_blockNumber')).result)

/** Milliseconds from one block to the next, in the mean, until `done`. */
async function intervalUntil(client: RpcClient, done: (blocks: number) => boolean): Promise<number> {
  let last = await headOf(client)
  const first = last
  const beganMs = performance.now()
  let seenMs = beganMs
  while (!done(last - first)) {
    await pause(20)
    const head = await headOf(client)
    if (head > last) seenMs = performance.now()
    last = head
  }
  return (seenMs - beganMs) / Math.max(1, last - first)
}

/** Gives what the caller was answered, where there is one. */
async function trigger(network: Network, { hook }: Trouble, index: number): Promise<string> {
  const [client] = network.clients
  assert.equal((await client!.call(`trouble${index}_arm`)).result, true)
  if (hook === 'method') return JSON.stringify(await client!.call(`trouble${index}_method`))
  if (hook === 'reload') {
    return JSON.stringify(await client!.call('plugins_reloadPluginConfig', `trouble${index}`))
  }
  if (hook === 'health') {
    return await (await fetch(`http://127.0.0.1:${network.troubled.http}/readiness`)).text()
  }
  if (hook === 'connections') {
    const enode = enodeOf(network.others[2]!)
    await client!.call('admin_removePeer', enode)
    await client!.call('admin_addPeer', enode)
  }
  return ''
}

async function metricsOf({ troubled }: Network): Promise<string> {
  const [, port] = /Metrics service started and listening on \S+:(\d+)/.exec(troubled.output())!
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

/** How the node tells of it: in its metrics, its log, or the answer of whoever asked. */
const NOTICED: Readonly<Record<Trouble['mode'], (plugin: string, hook: string) => RegExp>> = {
  hang: (plugin) => new RegExp(`plugins_ended_total\\{plugin="${plugin}",cause="hung"\\} [1-9]`),
  leak: (plugin) => new RegExp(`plugins_ended_total\\{plugin="${plugin}",cause="(memory|hung)"\\} [1-9]`),
  throw: (plugin, hook) =>
    new RegExp(
      `plugins_unanswered_total\\{plugin="${plugin}",hook="${hook}",cause="failed"\\} [1-9]|plugin_${plugin}_listener_failures_total\\{hook="${hook}"\\} [1-9]|"message":"(trouble|${plugin}:failure \\(trouble\\))"`,
    ),
  flood: (plugin) => new RegExp(`plugin-${plugin}\\b.*Lines of the plugin were dropped`),
}

async function compare(t: TestContext, troubles: readonly Trouble[]): Promise<void> {
  const load = new TransferLoad(8)
  const network = await startNetwork(t, load, troubles)
  const watched = network.clients[1]!
  while ((await headOf(watched)) < 3) await pause(50)
  const ended = new AbortController()
  const sending = load.run(network.troubled.http, { perSecond: SENT_PER_SECOND, signal: ended.signal })
  const calmMs = await intervalUntil(watched, (blocks) => blocks >= CALM_BLOCKS)
  const from = await headOf(watched)
  let isOver = false
  const troubledMs = intervalUntil(watched, () => isOver)
  for (const [index, trouble] of troubles.entries()) {
    const answer = await trigger(network, trouble, index)
    const noticed = NOTICED[trouble.mode](`trouble${index}`, trouble.hook)
    const told = async () => `${answer}\n${await metricsOf(network)}\n${network.troubled.output()}`
    for (let tries = 0; !noticed.test(await told()); tries++) {
      assert(
        tries < 300,
        `${trouble.hook} ${trouble.mode} was not noticed:\n${network.troubled.output().slice(-3_000)}`,
      )
      await pause(100)
    }
    if (trouble.mode === 'flood') await pause(2_000)
  }
  isOver = true
  const meanMs = await troubledMs
  ended.abort()
  await sending
  const makers = new Map<string, number>()
  for (let number = from + 1; number <= (await headOf(watched)); number++) {
    const { result } = await watched.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    const { miner } = result as { readonly miner: string }
    makers.set(miner, (makers.get(miner) ?? 0) + 1)
  }
  const own = makers.get(network.validator) ?? 0
  const all = [...makers.values()].reduce((sum, count) => sum + count, 0)
  t.diagnostic(
    `${troubles.map(({ hook, mode }) => `${hook} ${mode}`).join(', ')}: a block every ${calmMs.toFixed(0)} ms before, every ${meanMs.toFixed(0)} ms under trouble; ${own} of ${all} blocks are of the troubled validator; ${load.accepted.size} transactions taken`,
  )
  assert.deepEqual(load.refusals, [])
  assert(own >= Math.floor(all / 4) - 1 && own > 0, `${own} of ${all} blocks`)
  assert(meanMs <= calmMs * (1 + TOLERANCE) + 5, `${meanMs} ms instead of ${calmMs} ms`)
}

if (IS_WHOLE) {
  for (const mode of ['hang', 'throw', 'flood', 'leak'] as const) {
    test(`plugins that ${mode} in every hook in turn delay no block`, { timeout: 900_000 }, (t) =>
      compare(
        t,
        HOOKS.map((hook) => ({ hook, mode })),
      ),
    )
  }
} else {
  test('plugins that hang, throw, flood and leak stop no validator', (t) => compare(t, SOME))
}

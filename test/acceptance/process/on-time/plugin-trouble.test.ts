/*
 * One of four validators has plugins that hang, throw, flood and leak, in one hook after the other. Blocks must come as
 * without plugins, and this validator must keep proposing. Phases with and without trouble alternate, so other work on
 * the machine affects both.
 *
 * The gate has one trouble of each kind. CAIRN_PLUGIN_TROUBLE=all tries every hook, and first the same network without
 * plugins; block times must agree within a tenth (npm run nightly -- plugin-trouble, ten minutes on an idle machine).
 * CAIRN_PLUGIN_TOLERANCE=1 permits twice the time, for a busy machine.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { parseAddress } from '#types/address.ts'
import { openRpcClient, type RpcClient } from '../../../support/rpc-client.ts'
import type { RunningNode } from '../../../support/running-node.ts'
import { signedTransfer } from '../../../support/signed-transfer.ts'
import { TransferLoad } from '../../../support/transfer-load.ts'
import { makeValidators, start } from '../../../support/validator-network.ts'

const IS_WHOLE = process.env.CAIRN_PLUGIN_TROUBLE === 'all'
const PERIOD_MS = 500
/** How much slower blocks may be: a validator that waits for others on a busy machine falls behind. */
const TOLERANCE = Number(process.env.CAIRN_PLUGIN_TOLERANCE ?? (IS_WHOLE ? 0.1 : 1))
const BLOCKS_WITHOUT = 60
/** Blocks without trouble before each trouble. */
const CALM_BLOCKS = IS_WHOLE ? 10 : 2
const TROUBLE_MS = IS_WHOLE ? 3_000 : 1_000
/** Longer than the event needs to occur. */
const ARMED_MS = 6_000
const SENT_PER_SECOND = 20
const NOTICED_WITHIN_MS = 90_000

const [caller] = DEV_ACCOUNTS
const LOGGER = parseAddress('10'.repeat(20))
/** Emits a log without topics and data. */
const LOGGER_CODE = '0x60006000a000'

const HOOKS = [
  'admission',
  'selection',
  'block',
  'logs',
  'poolAdded',
  'poolDropped',
  'round',
  'peers',
  'method',
  'health',
  'reload',
  'connections',
] as const
const MODES = {
  hang: 'while (true);',
  throw: "throw new Error('trouble')",
  flood: `const flood = setInterval(() => { for (let i = 0; i < 300; i++) { node.request('eth_blockNumber').catch(() => undefined); console.log('flood') } }, 1)
  setTimeout(() => clearInterval(flood), ${TROUBLE_MS})`,
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

/** Its method arms it. It then throws for a while, or makes other trouble once: after a restart it is calm. */
function pluginOf({ hook, mode }: Trouble, name: string): string {
  return `import { definePlugin } from 'cairn-node/plugin'
let armedUntil = 0
const meet = (hook, node) => {
  if (hook !== '${hook}' || Date.now() > armedUntil) return
  ${mode === 'throw' ? '' : 'armedUntil = 0'}
  ${MODES[mode]}
}
export default definePlugin({
  name: '${name}',
  version: '1.0.0',
  methods: {
    arm: { summary: 'Arms it.', run: () => { armedUntil = Date.now() + ${ARMED_MS}; return true } },
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
    logs: { handle: (logs, node) => meet('logs', node) },
    poolAdded: (all, node) => meet('poolAdded', node),
    poolDropped: (all, node) => meet('poolDropped', node),
    round: (round, node) => meet('round', node),
    peers: (change, node) => meet('peers', node),
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
  const rich = { balance: `0x${(10n ** 24n).toString(16)}` }
  const alloc = { ...load.alloc(), [caller!.address]: rich, [LOGGER]: { balance: '0x0', code: LOGGER_CODE } }
  const networks = makeValidators(t, 'qbft', 4, alloc, PERIOD_MS)
  const [first] = networks
  if (troubles.length > 0) mkdirSync(join(first!.data, 'plugins'))
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

/** The times at which a polling client saw new blocks. */
class BlockTimes {
  readonly #seen: { readonly number: number; readonly atMs: number }[] = []
  readonly #ended = new AbortController()
  readonly #looking: Promise<void>

  constructor(client: RpcClient) {
    this.#looking = this.#look(client)
  }

  get count(): number {
    return this.#seen.length
  }

  async #look(client: RpcClient): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const number = await headOf(client)
      if (number !== this.#seen.at(-1)?.number) this.#seen.push({ number, atMs: performance.now() })
      await pause(10)
    }
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#looking
  }

  /** Mean block intervals in milliseconds: of intervals that overlap a phase, and of all others. */
  means(phases: readonly Phase[]): { readonly inside: number; readonly outside: number } {
    const sums = { inside: { ms: 0, blocks: 0 }, outside: { ms: 0, blocks: 0 } }
    for (const [index, { number, atMs }] of this.#seen.entries()) {
      // The first block existed before the polling started.
      if (index < 2) continue
      const before = this.#seen[index - 1]!
      const isInside = phases.some(({ fromMs, toMs }) => before.atMs < toMs && atMs > fromMs)
      const sum = sums[isInside ? 'inside' : 'outside']
      sum.ms += atMs - before.atMs
      sum.blocks += number - before.number
    }
    return { inside: sums.inside.ms / sums.inside.blocks, outside: sums.outside.ms / sums.outside.blocks }
  }
}

interface Phase {
  readonly fromMs: number
  readonly toMs: number
}

/** Returns the caller's answer, if there is a caller. */
async function trigger(network: Network, { hook }: Trouble, index: number): Promise<string> {
  const [client] = network.clients
  assert.equal((await client!.call(`trouble${index}_arm`)).result, true)
  const send = async (...given: Parameters<typeof signedTransfer>) => {
    const { error } = await client!.call('eth_sendRawTransaction', signedTransfer(...given))
    assert.equal(error, undefined)
  }
  if (hook === 'method') return JSON.stringify(await client!.call(`trouble${index}_method`))
  if (hook === 'reload') {
    return JSON.stringify(await client!.call('plugins_reloadPluginConfig', `trouble${index}`))
  }
  if (hook === 'health') {
    return await (await fetch(`http://127.0.0.1:${network.troubled.http}/readiness`)).text()
  }
  if (hook === 'logs') await send(caller!, 0n, { to: LOGGER, gasLimit: 100_000n })
  if (hook === 'poolDropped') {
    // The second transaction replaces the first, which is still pending.
    for (const gasPrice of [10n ** 10n, 10n ** 11n]) await send(caller!, 100n, { gasPrice })
  }
  if (hook === 'connections' || hook === 'peers') {
    const enode = enodeOf(network.others[2]!)
    await client!.call('admin_removePeer', enode)
    // Long enough for a check every two seconds.
    if (hook === 'peers') await pause(2_500)
    await client!.call('admin_addPeer', enode)
  }
  return ''
}

async function metricsOf({ troubled }: Network): Promise<string> {
  const [, port] = /Metrics service started and listening on \S+:(\d+)/.exec(troubled.output())!
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

/** Where the node reports the trouble: its metrics, its log, or the caller's answer. */
const NOTICED: Readonly<Record<Trouble['mode'], (plugin: string, hook: string) => RegExp>> = {
  hang: (plugin) => new RegExp(`plugins_ended_total\\{plugin="${plugin}",cause="hung"\\} [1-9]`),
  leak: (plugin) => new RegExp(`plugins_ended_total\\{plugin="${plugin}",cause="(memory|hung)"\\} [1-9]`),
  throw: (plugin, hook) =>
    new RegExp(
      `plugins_unanswered_total\\{plugin="${plugin}",hook="${hook}",cause="failed"\\} [1-9]|plugin_${plugin}_listener_failures_total\\{hook="${hook}"\\} [1-9]|"message":"(trouble|${plugin}:failure \\(trouble\\))"`,
    ),
  flood: (plugin) => new RegExp(`plugin-${plugin}\\b.*Dropped log lines of a plugin`),
}

/** Waits until the node has reported the trouble and the plugin runs again. */
async function makeTrouble(network: Network, trouble: Trouble, index: number): Promise<Phase> {
  const fromMs = performance.now()
  const plugin = `trouble${index}`
  const answer = await trigger(network, trouble, index)
  const noticed = NOTICED[trouble.mode](plugin, trouble.hook)
  for (;;) {
    const metrics = await metricsOf(network)
    const isUp = metrics.includes(`plugins_up{plugin="${plugin}"} 1`)
    if (isUp && noticed.test(`${answer}\n${metrics}\n${network.troubled.output()}`)) break
    assert(
      performance.now() - fromMs < NOTICED_WITHIN_MS,
      `${trouble.hook} ${trouble.mode} was not noticed:\n${network.troubled.output().slice(-3_000)}`,
    )
    await pause(250)
  }
  if (trouble.mode === 'throw' || trouble.mode === 'flood') await pause(TROUBLE_MS)
  return { fromMs, toMs: performance.now() }
}

async function proposersOf(client: RpcClient, from: number): Promise<readonly string[]> {
  const proposers: string[] = []
  for (let number = from + 1; number <= (await headOf(client)); number++) {
    const { result } = await client.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    proposers.push((result as { readonly miner: string }).miner)
  }
  return proposers
}

/** Returns the mean block interval without trouble. */
async function compare(t: TestContext, troubles: readonly Trouble[], withoutMs?: number): Promise<number> {
  const load = new TransferLoad(8)
  const network = await startNetwork(t, load, troubles)
  const watched = network.clients[1]!
  while ((await headOf(watched)) < 3) await pause(50)
  const from = await headOf(watched)
  const ended = new AbortController()
  const sending = load.run(network.troubled.http, { perSecond: SENT_PER_SECOND, signal: ended.signal })
  const times = new BlockTimes(watched)
  const untilMore = async (blocks: number) => {
    const end = times.count + blocks
    while (times.count < end) await pause(20)
  }
  const phases: Phase[] = []
  await untilMore(troubles.length === 0 ? BLOCKS_WITHOUT : CALM_BLOCKS)
  for (const [index, trouble] of troubles.entries()) {
    phases.push(await makeTrouble(network, trouble, index))
    await untilMore(CALM_BLOCKS)
  }
  await times.stop()
  ended.abort()
  await sending
  const proposers = await proposersOf(watched, from)
  const own = proposers.filter((proposer) => proposer === network.validator).length
  const share = `${own} of ${proposers.length} blocks were proposed by that validator; ${load.accepted.size} transactions accepted`
  assert.deepEqual(load.refusals, [])
  assert(own >= Math.floor(proposers.length / 4) - 1 && own > 0, share)
  const { inside, outside } = times.means(phases)
  if (troubles.length === 0) {
    t.diagnostic(`without plugins: a block every ${outside.toFixed(0)} ms; ${share}`)
    return outside
  }
  const ratios = [
    { than: 'in calm', ratio: inside / outside },
    ...(withoutMs === undefined ? [] : [{ than: 'without plugins', ratio: inside / withoutMs }]),
  ]
  const told = ratios.map(({ than, ratio }) => `${ratio.toFixed(3)} of that ${than}`)
  t.diagnostic(
    `${troubles.map(({ hook, mode }) => `${hook} ${mode}`).join(', ')}: a block every ${outside.toFixed(0)} ms without trouble, every ${inside.toFixed(0)} ms with trouble (${told.join(', ')}); ${share}`,
  )
  assert(
    ratios.every(({ ratio }) => ratio <= 1 + TOLERANCE),
    `blocks take longer with trouble: ${told.join(', ')}`,
  )
  return outside
}

if (IS_WHOLE) {
  let withoutMs: number | undefined
  test('four validators without plugins', async (t) => {
    withoutMs = await compare(t, [])
  })
  for (const mode of ['hang', 'throw', 'flood', 'leak'] as const) {
    test(`plugins that ${mode} in every hook in turn delay no block`, { timeout: 1_800_000 }, async (t) => {
      await compare(
        t,
        HOOKS.map((hook) => ({ hook, mode })),
        withoutMs,
      )
    })
  }
} else {
  test('plugins that hang, throw, flood and leak stop no validator', async (t) => {
    await compare(t, SOME)
  })
}

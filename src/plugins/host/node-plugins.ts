import { dataOptions } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import type { Report } from '#consensus/bft/events.ts'
import type { MayConnect } from '#p2p/peer-rules.ts'
import type { PeerReport } from '#p2p/peers/peer-network.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom, type Later } from '#platform/room.ts'
import type { Threads } from '#platform/thread/threads.ts'
import type { RoundEvent } from '#plugins/define-plugin.ts'
import type { PluginSet } from '#plugins/host/plugin-set.ts'
import { createAdmission, createConnectionRule, createSelection } from '#plugins/host/rules.ts'
import { pluginOptions } from '#plugins/options.ts'
import type { MethodAnswer } from '#plugins/plugin-protocol.ts'
import type { JudgeAdmission } from '#pool/judge-submission.ts'
import type { JudgeCandidates } from '#pool/offer-judged.ts'
import type { SubmittedTransaction } from '#pool/submitted-transaction.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'
import type { SyncProgress } from '#sync/sync-progress.ts'
import { formatEnode } from '#types/enode.ts'

/** Longer than any plugin may take. */
const DEADLINE_MS = 150_000
const LOOK_MS = 2_000
const MAX_ANSWER_CHARACTERS = 32 * 1024 * 1024

interface PluginParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly threads: Threads
  readonly settings: Settings
  /** Reads the same options again. */
  readonly reread: () => Settings
  /** Answers the plugins' requests. */
  readonly rpc: Later<{ call(message: string): Promise<{ readonly text: string }> }>
}

/** The event sources for plugins. */
export interface ToldNode {
  readonly pool: TransactionPool
  peers(): Promise<readonly PeerReport[]>
  progress(): SyncProgress | undefined
}

/** Starts after the chain is open: then no other node uses this data directory, which contains the plugins' storage. */
export const REGISTERED_PLUGINS = defineRoom({
  name: 'plugins',
  startDeadlineMs: DEADLINE_MS,
  stopDeadlineMs: DEADLINE_MS,
  start: (plugins: NodePlugins) => plugins.register(),
})

/** Starts when requests are answered. */
export const STARTED_PLUGINS = defineRoom({
  name: 'plugins',
  startDeadlineMs: DEADLINE_MS,
  stopDeadlineMs: DEADLINE_MS,
  start: async ({ plugins, told }: { plugins: NodePlugins; told: ToldNode }, { onStop }) => {
    onStop(() => plugins.set.stop())
    await plugins.start()
    for (const stop of plugins.tellOf(told)) onStop(stop)
  },
})

/** Connects plugins to the pool, peers, servers and consensus. */
export class NodePlugins {
  readonly set: PluginSet
  readonly #parts: PluginParts

  constructor(set: PluginSet, parts: PluginParts) {
    this.set = set
    this.#parts = parts
  }

  async register(): Promise<void> {
    const { log, metrics, threads, settings } = this.#parts
    await this.set.register({
      log,
      metrics,
      threads,
      dataPath: settings.get(dataOptions.dataPath),
      settings,
      answerRpc: (message) => this.#answer(message),
    })
  }

  start(): Promise<void> {
    return this.set.start(this.#parts.log)
  }

  judgeAdmission(): JudgeAdmission | undefined {
    const judge = createAdmission(this.set)
    return (
      judge &&
      ((submissions, origin) =>
        judge(submissions.map((each) => ({ ...offeredOf(each), encoded: each.encoded, origin }))))
    )
  }

  judgeCandidates(): JudgeCandidates | undefined {
    const selection = createSelection(this.set)
    if (selection === undefined) return undefined
    const { clock } = this.#parts
    const share = this.#parts.settings.get(pluginOptions.selectionMaxTime) / 100
    return ({ deadlineAtMs, number, timestamp, baseFeePerGas }) => {
      const startMs = clock.monotonicMs()
      const untilMs = startMs + Math.min(selection.deadlineMs, share * Math.max(0, deadlineAtMs - startMs))
      const block = { number, timestamp, baseFeePerGas }
      return (transactions) =>
        selection.judge(transactions.map(offeredOf), block, untilMs - clock.monotonicMs())
    }
  }

  /** Checks connections only, not which peers are known or announced to others. */
  mayConnect(): MayConnect | undefined {
    const rule = createConnectionRule(this.set)
    if (rule === undefined) return undefined
    return async (action, peer) => {
      if (!/^(connect|stay)/.test(action)) return true
      const direction = action.endsWith('Inbound') ? 'inbound' : 'outbound'
      return await rule({ enode: formatEnode(peer), id: peer.id, ip: peer.host, direction })
    }
  }

  reload(name: string | undefined) {
    return this.set.reload(name, this.#parts.reread)
  }

  states() {
    return this.set.states()
  }

  /** By plugin and name, as JSON text. */
  options(): Readonly<Record<string, string>> {
    const all = this.set.hosts.flatMap(({ name, options }) =>
      Object.entries(options).map(([option, value]) => [`${name}.${option}`, JSON.stringify(value ?? null)]),
    )
    return Object.fromEntries(all)
  }

  async call(method: string, params: Uint8Array): Promise<MethodAnswer | undefined> {
    for (const host of this.set.hosts) {
      const declared = host.declaration.methods.find(({ name }) => name === method)
      if (declared === undefined) continue
      const answer = await host.ask('call', { method, params }, declared.deadlineMs)
      return answer.ok ? answer.value : undefined
    }
    return undefined
  }

  roundReported(report: Report): void {
    if (!ROUND_KINDS.has(report.kind) || !this.set.hears('round')) return
    const { kind, height, round } = report as Report & RoundEvent
    this.set.tell('round', { kind, height, round })
  }

  /** Forwards events to plugins until the returned functions are called. */
  tellOf({ pool, peers, progress }: ToldNode): readonly (() => void)[] {
    const { set } = this
    const brief = ({ transaction: { hash, sender } }: { readonly transaction: SubmittedTransaction }) => ({
      hash,
      sender,
    })
    return [
      set.hears('poolAdded') && pool.added.subscribe((events) => set.tell('poolAdded', events.map(brief))),
      set.hears('poolDropped') &&
        pool.dropped.subscribe((events) => set.tell('poolDropped', events.map(brief))),
      set.hears('peers') && this.#look(async () => this.#comparePeers(await peers())),
      set.hears('sync') && this.#look(async () => this.#compareProgress(progress())),
    ].filter((stop) => stop !== false)
  }

  #look(look: () => Promise<void>): () => void {
    const { clock, log } = this.#parts
    const timer = clock.every(
      LOOK_MS,
      () => void look().catch((err: unknown) => log.debug('Failed to notify plugins', { err })),
      { unref: true },
    )
    return () => timer.cancel()
  }

  #peers: ReadonlySet<string> = new Set()

  #comparePeers(reports: readonly PeerReport[]): void {
    const now = new Set(reports.map(({ enode }) => enode.id))
    const [joined, left] = [[...now.difference(this.#peers)], [...this.#peers.difference(now)]]
    this.#peers = now
    if (joined.length + left.length > 0) this.set.tell('peers', { joined, left })
  }

  #progress = ''

  #compareProgress(progress: SyncProgress | undefined): void {
    const event = progress && { currentBlock: progress.currentBlock, highestBlock: progress.highestBlock }
    const text = JSON.stringify(event ?? null)
    if (text === this.#progress) return
    this.#progress = text
    this.set.tell('sync', event)
  }

  async #answer(message: string): Promise<string> {
    const rpc = this.#parts.rpc.now
    if (rpc === undefined) throw new Error('The node answers requests when it has started: ask in start.')
    const { text } = await rpc.call(message)
    if (text.length <= MAX_ANSWER_CHARACTERS) return text
    throw new Error(
      `The answer has ${text.length} characters, and a plugin gets ${MAX_ANSWER_CHARACTERS} at most.`,
    )
  }
}

const ROUND_KINDS: ReadonlySet<string> = new Set<RoundEvent['kind']>([
  'roundStarted',
  'proposalAccepted',
  'prepared',
  'committed',
])

function offeredOf(transaction: SubmittedTransaction) {
  const { hash, sender, to, type, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, maxCostWei } =
    transaction
  return { hash, sender, to, type, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, maxCostWei }
}

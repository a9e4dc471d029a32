/** Plugins as a service of the node: what they are asked for the pool, peers and servers, and what they are told. */
import type { Settings } from '#config/settings.ts'
import type { Report } from '#consensus/bft/events.ts'
import { nodeOptions } from '#node/options.ts'
import type { NodePeers } from '#node/peers-service.ts'
import type { MayConnect } from '#p2p/may-connect.ts'
import type { PeerReport } from '#p2p/peers/peer-network.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
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
import type { RpcThreads } from '#rpc/threads/rpc-threads.ts'
import type { SyncProgress } from '#sync/catch-up/catch-up.ts'
import { formatEnode } from '#types/enode.ts'

/** Longer than any plugin may take. */
const DEADLINE_MS = 150_000
const LOOK_MS = 2_000
const MAX_ANSWER_CHARACTERS = 32 * 1024 * 1024

export interface PluginParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly threads: Threads
}

/** What plugins are told of. */
export interface ToldNode {
  readonly pool: { readonly pool: TransactionPool }
  readonly peers: Pick<NodePeers, 'open'>
  readonly sync: { progress(): Promise<SyncProgress | undefined> }
}

export class NodePlugins {
  readonly set: PluginSet
  readonly #settings: Settings
  readonly #reread: () => Settings
  readonly #parts: PluginParts
  readonly #stops: (() => void)[] = []
  #rpc: ((message: string) => Promise<string>) | undefined

  constructor(set: PluginSet, settings: Settings, reread: () => Settings, parts: PluginParts) {
    this.set = set
    this.#settings = settings
    this.#reread = reread
    this.#parts = parts
  }

  /** After the chain is open: then no other node can have this data directory, and storage of plugins is in it. */
  registration(): Service {
    return {
      name: 'plugins',
      startDeadlineMs: DEADLINE_MS,
      stopDeadlineMs: DEADLINE_MS,
      start: () => this.register(),
      stop: () => undefined,
    }
  }

  async register(): Promise<void> {
    const { log, metrics, threads } = this.#parts
    await this.set.register({
      log,
      metrics,
      threads,
      dataPath: this.#settings.get(nodeOptions.dataPath),
      settings: this.#settings,
      answerRpc: (message) => this.#answer(message),
    })
  }

  /** What the pool asks. */
  poolRules() {
    return { judgeAdmission: this.#judgeAdmission(), judgeCandidates: this.#judgeCandidates() }
  }

  /** What peers ask. */
  peersParts() {
    return { mayConnect: this.#mayConnect() }
  }

  /** What consensus tells. */
  consensusParts() {
    return { onReport: (report: Report) => this.#roundReported(report) }
  }

  #judgeAdmission(): JudgeAdmission | undefined {
    const judge = createAdmission(this.set)
    return (
      judge && ((submissions, origin) => judge(submissions.map((each) => ({ ...offeredOf(each), origin }))))
    )
  }

  #judgeCandidates(): JudgeCandidates | undefined {
    const selection = createSelection(this.set)
    if (selection === undefined) return undefined
    const { clock } = this.#parts
    const share = this.#settings.get(pluginOptions.selectionMaxTime) / 100
    return ({ deadlineAtMs, number, timestamp, baseFeePerGas }) => {
      const startMs = clock.monotonicMs()
      const untilMs = startMs + Math.min(selection.deadlineMs, share * Math.max(0, deadlineAtMs - startMs))
      const block = { number, timestamp, baseFeePerGas }
      return (transactions) =>
        selection.judge(transactions.map(offeredOf), block, untilMs - clock.monotonicMs())
    }
  }

  /** Of connections alone: who is known, and told to others, is not asked. */
  #mayConnect(): MayConnect | undefined {
    const rule = createConnectionRule(this.set)
    if (rule === undefined) return undefined
    return async (action, peer) => {
      if (!/^(connect|stay)/.test(action)) return true
      const direction = action.endsWith('Inbound') ? 'inbound' : 'outbound'
      return await rule({ enode: formatEnode(peer), id: peer.id, ip: peer.host, direction })
    }
  }

  reload(name: string | undefined) {
    return this.set.reload(name, this.#reread)
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

  #roundReported(report: Report): void {
    if (!ROUND_KINDS.has(report.kind) || !this.set.hears('round')) return
    const { kind, height, round } = report as Report & RoundEvent
    this.set.tell('round', { kind, height, round })
  }

  /** Starts when requests are answered: `threads` do that. */
  service(node: ToldNode, threads: (() => Pick<RpcThreads, 'call'>) | undefined): Service {
    return {
      name: 'plugins',
      startDeadlineMs: DEADLINE_MS,
      stopDeadlineMs: DEADLINE_MS,
      start: async () => {
        this.#rpc = threads && (async (message) => (await threads().call(message)).text)
        await this.set.start(this.#parts.log)
        this.#tellOf(node)
      },
      stop: async () => {
        for (const stop of this.#stops) stop()
        await this.set.stop()
      },
    }
  }

  #tellOf({ pool: { pool }, peers, sync }: ToldNode): void {
    const { set } = this
    const brief = ({ transaction: { hash, sender } }: { readonly transaction: SubmittedTransaction }) => ({
      hash,
      sender,
    })
    if (set.hears('poolAdded')) {
      this.#stops.push(pool.added.subscribe((news) => set.tell('poolAdded', news.map(brief))))
    }
    if (set.hears('poolDropped')) {
      this.#stops.push(pool.dropped.subscribe((news) => set.tell('poolDropped', news.map(brief))))
    }
    if (set.hears('peers'))
      this.#look(async () => this.#comparePeers((await peers.open?.ports.peers.all()) ?? []))
    if (set.hears('sync')) this.#look(async () => this.#compareProgress(await sync.progress()))
  }

  #look(look: () => Promise<void>): void {
    const { clock, log } = this.#parts
    const timer: Timer = clock.every(
      LOOK_MS,
      () => void look().catch((err: unknown) => log.debug('Plugins could not be told.', { err })),
      { unref: true },
    )
    this.#stops.push(() => timer.cancel())
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
    if (this.#rpc === undefined)
      throw new Error('The node answers requests when it has started: ask in start.')
    const text = await this.#rpc(message)
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

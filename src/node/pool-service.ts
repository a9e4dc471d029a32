/** The pool as a service of the node: on the chain of the node, as its options say. */
import { resolve } from 'node:path'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import { type ChainReader, openChainReader } from '#chain/read/open-chain-reader.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { type Admit, Intake } from '#pool/intake.ts'
import { openPoolKeeper, type PoolKeeper } from '#pool/kept/pool-keeper.ts'
import type { MayTransact } from '#pool/may-transact.ts'
import { poolOptions } from '#pool/options.ts'
import { createPoolChain } from '#pool/pool-chain.ts'
import { addPoolMetrics } from '#pool/pool-metrics.ts'
import { readPoolSettings, readSubmissionRules } from '#pool/read-settings.ts'
import type { TransactionOrigin } from '#pool/submitted-transaction.ts'
import { type PoolParts, TransactionPool } from '#pool/transaction-pool.ts'
import { assert } from '#types/assert.ts'
import type { LiveChain } from './live-chain.ts'
import { nodeOptions } from './options.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 10_000
/** How often transactions that waited too long are looked for. */
const EXPIRY_PERIOD_MS = 60_000

/** The largest file that is restored: it grows to twice the pool in base64 before it is written anew. */
const MAX_FILE_BASE_BYTES = 16 * 1024 * 1024
const MAX_FILE_PER_POOL = 4

interface NodePoolParts {
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  readonly metrics: Metrics
  /** Who may send; undefined: everybody. */
  readonly mayTransact?: MayTransact
  readonly judgeAdmission?: PoolParts['judgeAdmission']
  readonly judgeCandidates?: PoolParts['judgeCandidates']
}

export class NodePool {
  readonly #settings: Settings
  readonly #chain: LiveChain
  readonly #parts: NodePoolParts
  #reader: ChainReader | undefined
  #pool: TransactionPool | undefined
  #expiry: Timer | undefined
  #keeper: PoolKeeper | undefined

  constructor(settings: Settings, chain: LiveChain, parts: NodePoolParts) {
    this.#settings = settings
    this.#chain = chain
    this.#parts = parts
  }

  get pool(): TransactionPool {
    assert(this.#pool !== undefined, 'The pool was started.')
    return this.#pool
  }

  /** Resolves when what was sent to this node will be there after a restart; undefined: nobody asked for that. */
  get kept(): (() => Promise<void>) | undefined {
    if (!this.#settings.get(poolOptions.enableSaveRestore)) return undefined
    return async () => await this.#keeper?.written()
  }

  /** Starts after the chain and before all who ask it, so that it hears of a head before they do. */
  service(): Service {
    return {
      name: 'pool',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      start: (signal) => this.#start(signal),
      stop: async () => {
        this.#expiry?.cancel()
        await this.#keeper?.close()
        await this.#reader?.close()
      },
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { genesisText, path, historyBlocks } = this.#chain.config
    const reader = await openChainReader({ genesisText, path, historyBlocks }, this.#chain.head)
    this.#reader = reader
    const pool = new TransactionPool({
      ...this.#parts,
      building: () => this.#parts.building.settings(),
      chain: createPoolChain(reader.view),
      settings: readPoolSettings(this.#settings, reader.view.genesis),
    })
    this.#pool = pool
    addPoolMetrics(this.#parts.metrics, pool)
    this.#expiry = this.#parts.clock.every(EXPIRY_PERIOD_MS, () => pool.expire(), { unref: true })
    this.#chain.writer.askForSenders((hash) => pool.get(hash)?.sender)
    this.#chain.writer.headMoved.subscribe((news) => {
      // The chain subscribed before us: its head is the one of the news.
      reader.announce(this.#chain.head)
      pool.headMoved(news)
    })
    if (this.#settings.get(poolOptions.enableSaveRestore)) await this.#restore(reader, pool, signal)
  }

  async #restore(reader: ChainReader, pool: TransactionPool, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const crypto = await loadCrypto()
    const rules = readSubmissionRules(this.#settings)
    const intakeOf = (origin: TransactionOrigin): Intake => {
      const admit: Admit = async (transactions) => pool.admit(transactions, origin)
      return new Intake({ chain: reader.view, crypto, rules, admit })
    }
    this.#keeper = await openPoolKeeper({
      path: resolve(this.#settings.get(nodeOptions.dataPath), this.#settings.get(poolOptions.saveFile)),
      maxFileBytes: MAX_FILE_BASE_BYTES + MAX_FILE_PER_POOL * this.#settings.get(poolOptions.maxBytes),
      pool,
      intakes: { local: intakeOf('local'), remote: intakeOf('remote') },
      keccak: crypto.keccak,
      clock,
      log,
    })
    await this.#keeper?.restore(signal)
  }
}

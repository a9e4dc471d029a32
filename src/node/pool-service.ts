/** The pool as a service of the node: on the chain of the node, as its options say. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import { type ChainReader, openChainReader } from '#chain/read/open-chain-reader.ts'
import type { Settings } from '#config/settings.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { MayTransact } from '#pool/may-transact.ts'
import { createPoolChain } from '#pool/pool-chain.ts'
import { addPoolMetrics } from '#pool/pool-metrics.ts'
import { readPoolSettings } from '#pool/read-settings.ts'
import { TransactionPool } from '#pool/transaction-pool.ts'
import { assert } from '#types/assert.ts'
import type { LiveChain } from './live-chain.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 10_000
/** How often transactions that waited too long are looked for. */
const EXPIRY_PERIOD_MS = 60_000

interface NodePoolParts {
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  readonly metrics: Metrics
  /** Who may send; undefined: everybody. */
  readonly mayTransact?: MayTransact
}

export class NodePool {
  readonly #settings: Settings
  readonly #chain: LiveChain
  readonly #parts: NodePoolParts
  #reader: ChainReader | undefined
  #pool: TransactionPool | undefined
  #expiry: Timer | undefined

  constructor(settings: Settings, chain: LiveChain, parts: NodePoolParts) {
    this.#settings = settings
    this.#chain = chain
    this.#parts = parts
  }

  get pool(): TransactionPool {
    assert(this.#pool !== undefined, 'The pool was started.')
    return this.#pool
  }

  /** Starts after the chain and before all who ask it, so that it hears of a head before they do. */
  service(): Service {
    return {
      name: 'pool',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      start: () => this.#start(),
      stop: () => {
        this.#expiry?.cancel()
        return this.#reader?.close()
      },
    }
  }

  async #start(): Promise<void> {
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
    this.#chain.writer.headMoved.subscribe((news) => {
      // The chain subscribed before us: its head is the one of the news.
      reader.announce(this.#chain.head)
      pool.headMoved(news)
    })
  }
}

/** Synchronisation as main sees it: the other end of the line to the protocol `eth`, which runs in the thread of peers. */

import type { Settings } from '#config/settings.ts'
import { MetPeers } from '#consensus/peers/met-peers.ts'
import type { ProtocolModule } from '#p2p/threads/protocol-module.ts'
import { connectPort, type LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import {
  answerContracts,
  askContracts,
  type ClientsOf,
  type OwnersOf,
  tellContracts,
} from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import { poolOptions } from '#pool/options.ts'
import type { SyncProgress } from '#sync/catch-up/catch-up.ts'
import {
  SYNC_MAIN_CONTRACTS,
  SYNC_THREAD_CONTRACTS,
  type SyncConfig,
  type SyncOffers,
} from '#sync/threads/sync-protocol.ts'
import { type DescribedTransaction, describeTransaction } from '#sync/wire/announcements.ts'
import { OWN_ANSWER_MAX_BYTES } from '#sync/wire/eth-codes.ts'
import { Fault } from '#types/fault.ts'
import type { LiveChain } from './live-chain.ts'
import type { NodePool } from './pool-service.ts'

/** With more than these in hand, blocks come faster than validators make them. */
const NEAR_BLOCKS = 2
/** Until the next part of many blocks has come. */
const CATCHING_UP_MS = 2_000
/** Transactions that a peer is told of when it comes. */
const MAX_WAITING = 4_096

export interface NodeSyncParts {
  readonly clock: Clock
  readonly log: Log
  readonly networkId: bigint
}

export class NodeSync {
  readonly #settings: Settings
  readonly #chain: LiveChain
  readonly #pool: NodePool
  readonly #parts: NodeSyncParts
  #thread: ClientsOf<typeof SYNC_THREAD_CONTRACTS> | undefined
  #catchingUpToMs = Number.NEGATIVE_INFINITY
  #importProblem: string | undefined
  readonly #met: MetPeers

  constructor(settings: Settings, chain: LiveChain, pool: NodePool, parts: NodeSyncParts) {
    this.#settings = settings
    this.#chain = chain
    this.#pool = pool
    this.#parts = parts
    this.#met = new MetPeers(parts.clock)
    chain.headMoved.subscribe((head) => {
      this.#importProblem = undefined
      this.#tell(this.#thread?.sync.headMoved(head))
    })
  }

  module(): ProtocolModule {
    return {
      module: import.meta.resolve('#sync/threads/sync-module.ts'),
      config: () => this.#config(),
      connect: (line) => this.#connect(line),
    }
  }

  /** undefined: there is nobody to catch up with. */
  async progress(): Promise<SyncProgress | undefined> {
    return await this.#thread?.sync.progress()
  }

  /** Since the start this node has been as far as every peer of then. */
  async hasCaughtUp(): Promise<boolean> {
    return (await this.#thread?.sync.hasCaughtUp()) ?? false
  }

  /** Why blocks of peers cannot be written; undefined: they can, as far as is known. */
  get importProblem(): string | undefined {
    return this.#importProblem
  }

  /**
   * Blocks of others are imported, many at a time. Only what was imported counts, which is valid: a peer that merely says
   * that it is ahead must not keep a validator from its work.
   */
  get isCatchingUp(): boolean {
    return this.#parts.clock.monotonicMs() < this.#catchingUpToMs
  }

  /** Who of the peers exchanges blocks, and who was turned away. */
  get met(): MetPeers {
    return this.#met
  }

  /** A peer, known by its id, has at least the block of this height. */
  peerAhead(id: string, height: number): void {
    this.#tell(this.#thread?.sync.peerAhead(id, height))
  }

  #config(): SyncConfig {
    const { genesisText, path, historyBlocks, engine, headerRulesModule } = this.#chain.config
    const { networkId } = this.#parts
    const needsChainId = this.#settings.get(poolOptions.strictReplayProtection)
    return {
      reader: { genesisText, path, historyBlocks },
      head: this.#chain.head,
      networkId,
      needsChainId,
      engine,
      headerRulesModule,
    }
  }

  #connect(line: LinePort): void {
    const { clock, log } = this.#parts
    const owners = this.#owners()
    const channel = connectPort<SyncOffers, SyncOffers>(
      line,
      {
        requests: answerContracts(SYNC_MAIN_CONTRACTS, owners),
        streams: tellContracts(SYNC_MAIN_CONTRACTS, owners),
      },
      { clock, onError: (err: unknown) => log.error('The line to the thread of peers failed.', { err }) },
    )
    const thread = askContracts(SYNC_THREAD_CONTRACTS, channel)
    this.#thread = thread
    void channel.closed.then(() => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#met.clear()
    })
  }

  #owners(): OwnersOf<typeof SYNC_MAIN_CONTRACTS> {
    const { clock } = this.#parts
    const chain = this.#chain
    const pool = () => this.#pool.pool
    return {
      chain: {
        importBlocks: async (blocks, senders, remaining) => {
          const answer = await this.#importing(() =>
            chain.writer.importBlocks({ blocks, senders, validation: 'full' }),
          )
          if (remaining > NEAR_BLOCKS && answer.imported > 0) {
            this.#catchingUpToMs = clock.monotonicMs() + CATCHING_UP_MS
          }
          return answer.ok ? answer : { ok: false, imported: answer.imported, sentence: answer.sentence }
        },
        importBlock: async (block) => {
          const verdict = await this.#importing(() => chain.writer.importBlock(block, 'full'))
          return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
        },
      },
      pool: {
        admit: (submissions) => pool().admit(submissions, 'remote'),
        encoded: (hashes) => {
          let bytesLeft = OWN_ANSWER_MAX_BYTES
          return hashes.map((hash) => {
            const found = bytesLeft > 0 ? pool().get(hash) : undefined
            const encoded = found && (found.withBlobs ?? found.encoded)
            bytesLeft -= encoded?.length ?? 0
            return encoded
          })
        },
        waiting: () => this.#waiting(),
        added: {
          subscribe: (listener) =>
            pool().added.subscribe((additions) =>
              listener(additions.map(({ transaction: { hash, encoded } }) => ({ hash, encoded }))),
            ),
        },
      },
      node: {
        peerJoined: (id) => this.#met.joined(id),
        peerLeft: (id) => this.#met.left(id),
        turnedAway: (id, why) => this.#met.turnAway(id, why),
      },
    }
  }

  async #importing<Answer>(importThem: () => Promise<Answer>): Promise<Answer> {
    try {
      return await importThem()
    } catch (error) {
      // Bytes that are not a block are the peer's fault.
      if (error instanceof Fault && error.kind === 'INVALID_BLOCK') throw error
      this.#importProblem = error instanceof Error ? error.message : String(error)
      throw error
    }
  }

  #waiting(): readonly DescribedTransaction[] {
    const waiting: DescribedTransaction[] = []
    let from: number | undefined = 0
    while (from !== undefined && waiting.length < MAX_WAITING) {
      const page = this.#pool.pool.list(from)
      waiting.push(...page.items.map(describeTransaction))
      from = page.next
    }
    return waiting.slice(0, MAX_WAITING)
  }

  #tell(told: Promise<void> | undefined): void {
    told?.catch((err: unknown) => this.#parts.log.debug('The thread of peers was not told.', { err }))
  }
}

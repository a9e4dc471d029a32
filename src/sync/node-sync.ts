/** Main's end of the line to the `eth` protocol, which runs in the peers thread. */
import type { RunningChain } from '#chain/start-chain.ts'
import type { PeersImport } from '#chain/writer/import-line.ts'
import type { Settings } from '#config/settings.ts'
import type { ProtocolModule } from '#p2p/threads/protocol-module.ts'
import { connectPort, createPortPair, type LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import {
  answerContracts,
  askContracts,
  type ClientsOf,
  type OwnersOf,
  publishContracts,
} from '#platform/contract.ts'
import { Gather } from '#platform/gather.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { poolOptions } from '#pool/options.ts'
import type { SubmittedTransaction } from '#pool/submitted-transaction.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'
import type { WaitingTransaction } from '#sync/follow/carry-transactions.ts'
import { NEAR_BLOCKS, type SharedProgress, type SyncProgress } from '#sync/sync-progress.ts'
import {
  SYNC_MAIN_CONTRACTS,
  SYNC_THREAD_CONTRACTS,
  type SyncConfig,
  type SyncOffers,
} from '#sync/threads/sync-protocol.ts'
import { type DescribedTransaction, describeTransaction } from '#sync/wire/announcements.ts'
import { OWN_ANSWER_MAX_BYTES } from '#sync/wire/eth-codes.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'

/** Batches of transactions for peers. A single transaction must not wait, and a few per second hardly. */
const ADDED_SETTINGS = { intervalMs: 50, handsFirstOnAtOnce: true, perItemMs: 10 }
/** Maximum transactions announced to a peer that connects. */
const MAX_WAITING = 4_096

/** Records the peers that exchange blocks, and the peers that were turned away. */
interface MetPeers {
  joined(id: string): void
  left(id: string): void
  turnAway(id: string, why: Parameters<OwnersOf<typeof SYNC_MAIN_CONTRACTS>['node']['turnedAway']>[1]): void
  clear(): void
}

export interface NodeSyncParts {
  readonly clock: Clock
  readonly log: Log
  readonly networkId: bigint
  /** Whether blocks of peers are imported. */
  readonly takesBlocks: boolean
  readonly met: MetPeers
  /** Validators that consensus brings the block of this height. */
  readonly participants: (height: number) => readonly Address[]
  /** Takes the blocks that `seek` found, lowest first; resolves with false if no more are wanted. */
  readonly offerBranch: (head: Hash, blocks: readonly Uint8Array[]) => Promise<boolean>
  /** Takes the reason why `seek` fetched nothing, if the head can never become canonical here. */
  readonly refuseBranch: (head: Hash, sentence: string) => void
  /** Written by the peers thread, read by servers. */
  readonly progress: SharedProgress
}

export class NodeSync {
  readonly #settings: Settings
  readonly #chain: RunningChain
  readonly #pool: TransactionPool
  readonly #parts: NodeSyncParts
  #thread: ClientsOf<typeof SYNC_THREAD_CONTRACTS> | undefined
  readonly #imports: ImportWatch

  constructor(settings: Settings, chain: RunningChain, pool: TransactionPool, parts: NodeSyncParts) {
    this.#settings = settings
    this.#chain = chain
    this.#pool = pool
    this.#parts = parts
    this.#imports = new ImportWatch(parts.clock, () => chain.head.sequence)
    chain.writer.peersImported.subscribe((outcome) => this.#imports.onImported(outcome))
    chain.headMoved.subscribe(({ next }) =>
      this.#tell(
        this.#thread?.sync.headMoved(
          chain.head,
          next?.validators ?? [],
          parts.participants(Number(chain.head.number)),
        ),
      ),
    )
  }

  module(): ProtocolModule {
    return {
      module: import.meta.resolve('#sync/threads/sync-module.ts'),
      begin: (line) => this.#begin(line),
    }
  }

  /** Undefined if there is no one to catch up with. */
  progress(): SyncProgress | undefined {
    return this.#parts.progress.read(this.#chain.head.number)
  }

  /** True once the node has been in sync with every peer known at start. */
  async hasBeenInSync(): Promise<boolean> {
    return (await this.#thread?.sync.hasBeenInSync()) ?? false
  }

  /** Resolves when the peers thread has taken everything sent to it so far: the line keeps the order. */
  async flushed(): Promise<void> {
    await this.#thread?.sync.hasBeenInSync()
  }

  get imports(): Pick<ImportWatch, 'isCatchingUp' | 'problem'> {
    return this.#imports
  }

  /** Reports that a peer has at least the block of this height. */
  peerAhead(id: string, height: number): void {
    this.#tell(this.#thread?.sync.peerAhead(id, height))
  }

  /** Fetches a block that the consensus client chose, and its missing ancestors. */
  seek(head: Hash): void {
    this.#tell(this.#thread?.sync.seek(head))
  }

  /** A peers thread starts: it gets a line to the writer, and one to this object. */
  #begin(line: LinePort): ReturnType<ProtocolModule['begin']> {
    const [forWriter, writer] = createPortPair()
    this.#chain.writer.openImportLine(forWriter)
    this.#connect(line)
    return { config: this.#config(writer), transfer: [writer] }
  }

  #config(writer: LinePort): SyncConfig {
    const { engine, headerRulesModule } = this.#chain.config
    const { networkId, takesBlocks } = this.#parts
    const needsChainId = this.#settings.get(poolOptions.strictReplayProtection)
    return {
      reader: this.#chain.reader,
      head: this.#chain.head,
      writer,
      progress: this.#parts.progress.memory,
      networkId,
      takesBlocks,
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
        streams: publishContracts(SYNC_MAIN_CONTRACTS, owners),
      },
      {
        clock,
        onError: (err: unknown) => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'peers', err }),
      },
    )
    const thread = askContracts(SYNC_THREAD_CONTRACTS, channel)
    this.#thread = thread
    void channel.closed.then(() => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#parts.progress.write(undefined)
      this.#parts.met.clear()
    })
  }

  #owners(): OwnersOf<typeof SYNC_MAIN_CONTRACTS> {
    const pool = this.#pool
    // The thread announces the transactions that it submits.
    const submitted = new Set<Hash>()
    return {
      pool: {
        admit: async (submissions) => {
          for (const { hash } of submissions) submitted.add(hash)
          try {
            return await pool.admit(submissions, 'remote')
          } finally {
            for (const { hash } of submissions) submitted.delete(hash)
          }
        },
        encoded: (hashes) => {
          let bytesLeft = OWN_ANSWER_MAX_BYTES
          return hashes.map((hash) => {
            const found = bytesLeft > 0 ? pool.get(hash) : undefined
            const encoded = found && (found.blobs?.encoded ?? found.encoded)
            bytesLeft -= encoded?.length ?? 0
            return encoded
          })
        },
        waiting: () => this.#waiting(),
        added: {
          subscribe: (listener) => {
            const gather = new Gather(this.#parts.clock, ADDED_SETTINGS, listener)
            return pool.added.subscribe((additions) => {
              const others = additions.filter(
                ({ transaction, origin }) => origin === 'local' || !submitted.has(transaction.hash),
              )
              if (others.length > 0) gather.add(others.map(({ transaction }) => waitingOf(transaction)))
            })
          },
        },
      },
      node: {
        peerJoined: (id) => this.#parts.met.joined(id),
        peerLeft: (id) => this.#parts.met.left(id),
        turnedAway: (id, why) => this.#parts.met.turnAway(id, why),
        offerBranch: (head, blocks) => this.#parts.offerBranch(head, blocks),
        refuseBranch: (head, sentence) => this.#parts.refuseBranch(head, sentence),
      },
    }
  }

  #waiting(): readonly DescribedTransaction[] {
    const waiting: DescribedTransaction[] = []
    let from: number | undefined = 0
    while (from !== undefined && waiting.length < MAX_WAITING) {
      const page = this.#pool.list(from)
      waiting.push(...page.items.map(describeTransaction))
      from = page.next
    }
    return waiting.slice(0, MAX_WAITING)
  }

  #tell(told: Promise<void> | undefined): void {
    told?.catch((err: unknown) => this.#parts.log.debug('Failed to notify the peers thread', { err }))
  }
}

/** Blobs stay on main until a peer requests them. */
function waitingOf({ hash, encoded, blobs }: SubmittedTransaction): WaitingTransaction {
  return { hash, encoded, exchangeBytes: blobs?.encoded.length }
}

/** The next batch of a long import arrives within this time. */
const CATCHING_UP_MS = 2_000

/** Observes imports from peers, whose blocks main never sees. */
export class ImportWatch {
  readonly #clock: Clock
  readonly #head: () => number
  #catchingUpToMs = Number.NEGATIVE_INFINITY
  #problem: { readonly head: number; readonly sentence: string } | undefined

  /** `head` is the sequence number of the head. */
  constructor(clock: Clock, head: () => number) {
    this.#clock = clock
    this.#head = head
  }

  /**
   * Whether this node imports many blocks of others. Only imported blocks count, since those are valid: a peer that merely
   * claims to be ahead must not keep a validator from its work.
   */
  get isCatchingUp(): boolean {
    return this.#clock.monotonicMs() < this.#catchingUpToMs
  }

  /** Why blocks of peers cannot be written; undefined if no failure is known since the head moved. */
  get problem(): string | undefined {
    return this.#problem?.head === this.#head() ? this.#problem.sentence : undefined
  }

  onImported({ imported, remaining, problem }: PeersImport): void {
    if (problem !== undefined) this.#problem = { head: this.#head(), sentence: problem }
    if (imported > 0 && remaining > NEAR_BLOCKS) {
      this.#catchingUpToMs = this.#clock.monotonicMs() + CATCHING_UP_MS
    }
  }
}

/** The contracts between main and the `eth` protocol in the peers thread. */
import type { AnnouncedHead, ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import {
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  event,
  operation,
} from '#platform/contract.ts'
import type { AdmissionVerdict, SubmittedTransaction } from '#pool/submitted-transaction.ts'
import type { WaitingTransaction } from '#sync/follow/carry-transactions.ts'
import type { NetworkDifference } from '#sync/peers/eth-network.ts'
import type { DescribedTransaction } from '#sync/wire/announcements.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'

/** Cloned to the thread. */
export interface SyncConfig {
  readonly reader: ChainReaderConfig
  /** The head announced last. */
  readonly head: AnnouncedHead
  /** The line to the writer thread. */
  readonly writer: LinePort
  /** The memory of a `SharedProgress`. */
  readonly progress: SharedArrayBuffer
  readonly networkId: bigint
  /** Whether blocks of peers are imported. */
  readonly takesBlocks: boolean
  /** Whether transactions must name a chain. */
  readonly needsChainId: boolean
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** The module with the header rules of the consensus protocol. */
  readonly headerRulesModule: string | undefined
}

const HASH_TEXT_BYTES = 128
/** The blocks are executed; it takes as long as a choice of the consensus client. */
const BRANCH_DEADLINE_MS = 600_000

/** Offered by main. */
export const SYNC_MAIN_CONTRACTS = {
  pool: {
    admit: operation<[submissions: readonly SubmittedTransaction[]], readonly AdmissionVerdict[]>(),
    /** Transactions in exchange encoding, up to the size of one answer; undefined if missing. */
    encoded: operation<[hashes: readonly Hash[]], readonly (Uint8Array | undefined)[]>(),
    /** Describes pool transactions for a new peer. Their bytes stay on main, because together they are the complete pool. */
    waiting: operation<[], readonly DescribedTransaction[]>(),
    added: event<WaitingTransaction>(({ encoded }) => HASH_TEXT_BYTES + encoded.length),
  },
  /** Peers, by id, that exchange blocks with this node or were turned away. */
  node: {
    peerJoined: operation<[id: string], void>(),
    peerLeft: operation<[id: string], void>(),
    turnedAway: operation<[id: string, why: NetworkDifference], void>(),
    /** Blocks up to a head that the consensus client chose, lowest first. Resolves with false if no more are wanted. */
    offerBranch: operation<[head: Hash, blocks: readonly Uint8Array[]], boolean>({
      deadlineMs: BRANCH_DEADLINE_MS,
    }),
    /** The branch of a chosen head leaves the chain below the first block of this node, so it was not fetched. */
    refuseBranch: operation<[head: Hash, sentence: string], void>(),
  },
} satisfies Contracts

/** Offered by the thread. */
export const SYNC_THREAD_CONTRACTS = {
  sync: {
    hasBeenInSync: operation<[], boolean>(),
    /** `validators` are those of the next block, and `participants` the validators that consensus brings this one. */
    headMoved: operation<
      [head: AnnouncedHead, validators: readonly Address[], participants: readonly Address[]],
      void
    >(),
    /** The peer with this id has at least the block of this height. */
    peerAhead: operation<[id: string, height: number], void>(),
    /** Fetches a block and its missing ancestors. */
    seek: operation<[head: Hash], void>(),
  },
} satisfies Contracts

export type SyncOffers = { readonly requests: ContractRequests; readonly streams: ContractStreams }

/** What is said between main and the protocol `eth`, which runs in the thread of peers. */
import type { AnnouncedHead, ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import {
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  news,
  operation,
} from '#platform/contract.ts'
import type { AdmissionVerdict, SubmittedTransaction } from '#pool/submitted-transaction.ts'
import type { ImportAnswer, SyncProgress } from '#sync/catch-up/catch-up.ts'
import type { WaitingTransaction } from '#sync/follow/carry-transactions.ts'
import type { NetworkDifference } from '#sync/peers/eth-network.ts'
import type { DescribedTransaction } from '#sync/wire/announcements.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'

/** Cloned to the thread. */
export interface SyncConfig {
  readonly reader: ChainReaderConfig
  /** The one that was announced last. */
  readonly head: AnnouncedHead
  readonly networkId: bigint
  /** Whether transactions have to name a chain. */
  readonly needsChainId: boolean
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** The file that says who may seal a block. */
  readonly headerRulesModule: string | undefined
}

/** Blocks take their time; the writer has deadlines of its own. */
const IMPORT_MS = 3_600_000
const HASH_TEXT_BYTES = 128

/** What main answers and tells. */
export const SYNC_MAIN_CONTRACTS = {
  chain: {
    importBlocks: operation<
      [blocks: readonly Uint8Array[], senders: readonly (readonly Address[])[], remaining: number],
      ImportAnswer
    >({ deadlineMs: IMPORT_MS }),
    importBlock: operation<[block: Uint8Array], { readonly ok: boolean; readonly sentence?: string }>({
      deadlineMs: IMPORT_MS,
    }),
  },
  pool: {
    admit: operation<[submissions: readonly SubmittedTransaction[]], readonly AdmissionVerdict[]>(),
    /** As they are exchanged, up to the bytes of one answer; undefined: not there. */
    encoded: operation<[hashes: readonly Hash[]], readonly (Uint8Array | undefined)[]>(),
    /** Describes transactions of the pool for a new peer. Their bytes stay on main, because together they are the whole pool. */
    waiting: operation<[], readonly DescribedTransaction[]>(),
    added: news<WaitingTransaction>(({ encoded }) => HASH_TEXT_BYTES + encoded.length),
  },
  /** Of peers, each known by its id: who exchanges blocks with this node, and who was turned away. */
  node: {
    peerJoined: operation<[id: string], void>(),
    peerLeft: operation<[id: string], void>(),
    turnedAway: operation<[id: string, why: NetworkDifference], void>(),
  },
} satisfies Contracts

/** What the thread answers. */
export const SYNC_THREAD_CONTRACTS = {
  sync: {
    /** undefined: there is nobody to catch up with. */
    progress: operation<[], SyncProgress | undefined>(),
    hasCaughtUp: operation<[], boolean>(),
    headMoved: operation<[head: AnnouncedHead], void>(),
    /** The peer with this id has at least the block of this height. */
    peerAhead: operation<[id: string, height: number], void>(),
  },
} satisfies Contracts

export type SyncOffers = { readonly requests: ContractRequests; readonly streams: ContractStreams }

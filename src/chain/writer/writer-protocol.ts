/** The writer thread: what it answers and tells. Blocks and transactions cross as bytes. */

import type { InvalidBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { LeftOut, SelectionTerms } from '#chain/build/candidates.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { ImportVerdict } from '#chain/write/create-chain.ts'
import type { HeadBlock, HeadNews, NextMakers } from '#chain/write/head-news.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import { BOUNDED_YOUNG_GENERATION, defineThread } from '#platform/thread/define-thread.ts'
import type { StorageFormat } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'

/** Cloned to the thread, so that the genesis file crosses as its text. */
export interface WriterConfig {
  readonly genesisText: string
  /** The module whose `createHeaderRules` makes the rules; undefined: those of chain alone. */
  readonly headerRulesModule: string | undefined
  /** Directory of the database. */
  readonly path: string
  readonly format: StorageFormat
  readonly historyBlocks: number
  readonly keepRevertReasons: boolean
  readonly keepCallTrees: boolean
  readonly reorgLoggingThreshold: number
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
}

/** Every request has a cell that ends its work when another thread sets it to other than 0. */
interface Cancellable {
  readonly cancel: Int32Array
}

export interface ImportRequest extends Cancellable {
  readonly block: Uint8Array
  readonly validation: HeaderValidation
}

export interface BulkRequest extends Cancellable {
  /** In order. */
  readonly blocks: readonly Uint8Array[]
  /** Of the transactions of each, where the caller recovered them; they are believed. */
  readonly senders: readonly (readonly Address[])[] | undefined
  readonly validation: HeaderValidation
}

export type BulkAnswer =
  | { readonly ok: true; readonly imported: number }
  | (InvalidBlock & { readonly imported: number; readonly number: bigint; readonly hash: Hash })

export interface BuildRequest extends Cancellable {
  readonly template: BlockTemplate
  /** By which the writer asks for candidates. */
  readonly build: number
  /** Of which the owner keeps the time. */
  readonly budgetMs: number
}

export interface BuildAnswer {
  readonly hash: Hash
  readonly block: Uint8Array
  /** How many it holds. */
  readonly transactions: number
  readonly leftOut: readonly LeftOut[]
}

/** What the owner of the writer answers to it. */
type OwnerOffers = {
  readonly requests: {
    /** Of transactions whose hashes are asked, where the owner knows them (known-senders.ts). */
    readonly senders: RequestRow<Uint8Array, Uint8Array>
  }
  readonly streams: {
    /** Slices of candidates (candidates.ts) for a block that the owner asked for. */
    readonly candidates: StreamRow<{ readonly build: number; readonly terms: SelectionTerms }, Uint8Array>
  }
}

type WriterOffers = {
  readonly requests: {
    readonly head: RequestRow<null, HeadBlock>
    readonly importBlock: RequestRow<ImportRequest, ImportVerdict>
    readonly importBlocks: RequestRow<BulkRequest, BulkAnswer>
    readonly validate: RequestRow<ImportRequest, { readonly ok: true } | InvalidBlock>
    readonly build: RequestRow<BuildRequest, BuildAnswer>
    readonly unwind: RequestRow<{ readonly to: number }, null>
    readonly setHead: RequestRow<Omit<ImportRequest, 'block'> & { readonly hash: Hash }, ImportVerdict>
    /** Of the pieces one after the other. */
    readonly keccak: RequestRow<readonly Uint8Array[], Uint8Array>
    readonly badBlocks: RequestRow<null, readonly BadBlock[]>
    readonly makersOfNext: RequestRow<null, NextMakers | null>
  }
  readonly news: { readonly headMoved: HeadNews }
}

/** Repairing the trie after a crash, and block 0 of a large genesis file. */
export const WRITER_START_DEADLINE_MS = 600_000
/** A block may take this long, and nothing is answered meanwhile. */
const CARE_DEADLINE_MS = 30_000

/** Not restarted, and not ended for its use of memory: the node stops with it. */
export const WRITER = defineThread<{ data: WriterConfig; offers: WriterOffers; asks: OwnerOffers }>({
  name: 'writer',
  entry: import.meta.resolve('#chain/writer/writer-thread-entry.ts'),
  restart: 'never',
  heap: BOUNDED_YOUNG_GENERATION,
  startDeadlineMs: WRITER_START_DEADLINE_MS,
  careDeadlineMs: CARE_DEADLINE_MS,
})

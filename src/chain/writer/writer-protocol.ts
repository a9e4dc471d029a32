/** The protocol of the writer thread. Blocks and transactions cross as bytes. */

import type { InvalidBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { SelectionTerms } from '#chain/build/candidates.ts'
import type { ledgerOptions } from '#chain/options.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { AccountEdit, ImportVerdict } from '#chain/write/create-chain.ts'
import type { ChoiceVerdict, ForkChoice, OfferVerdict } from '#chain/write/fork-choice.ts'
import type { HeadChange, NextValidators } from '#chain/write/head-change.ts'
import type { ValuesOf } from '#config/option.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import { BOUNDED_YOUNG_GENERATION, defineThread } from '#platform/thread/define-thread.ts'
import type { ArchivePlace } from '#store/archive/archive-place.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { BuildAnswer } from './build-answer.ts'
import type { BulkAnswer, Cancellable, PeersImport } from './import-line.ts'

/** Cloned to the thread, so the genesis file crosses as text. */
export interface WriterConfig {
  readonly genesisText: string
  /** The module that exports `createHeaderRules`; if undefined, only chain's own rules apply. */
  readonly headerRulesModule: string | undefined
  /** Directory of the database. */
  readonly path: string
  readonly historyBlocks: number
  /** The memory of the database's `WriteCount`, which readers share. */
  readonly writes?: SharedArrayBuffer | undefined
  /** Whether the state can be edited. */
  readonly isDevelopment: boolean
  /** The remedy if the database has another block 0; undefined if the network's block never changes. */
  readonly otherGenesisRemedy?: string | undefined
  /** Whether blocks before the merge are never executed, so the chain begins with an imported state. */
  readonly startsAfterMerge?: boolean
  /** Whether the database is a copy of another network's. */
  readonly isCopy?: boolean
  readonly ledger: ValuesOf<typeof ledgerOptions>
  /** The archive of old blocks. The writer itself never asks it. */
  readonly archive?: ArchivePlace | undefined
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
}

export interface ImportRequest extends Cancellable {
  readonly block: Uint8Array
  readonly validation: HeaderValidation
}

export interface BulkRequest extends Cancellable {
  /** In ascending order. */
  readonly blocks: readonly Uint8Array[]
  /** Senders of each block's transactions if the caller recovered them. The writer trusts them. */
  readonly senders: readonly (readonly Address[])[] | undefined
  readonly validation: HeaderValidation
}

export interface BuildRequest extends Cancellable {
  readonly template: BlockTemplate
  /** Identifies the build when the writer requests candidates. */
  readonly build: number
  /** Enforced by the owner. */
  readonly budgetMs: number
  /** Whether to request candidates a second time when the first are executed. The owner answers when the block is due. */
  readonly asksTwice: boolean
}

/** Requests and streams that the owner of the writer answers. */
type OwnerOffers = {
  readonly requests: {
    /** Looks up senders by transaction hash (known-senders.ts). */
    readonly senders: RequestRow<Uint8Array, Uint8Array>
  }
  readonly streams: {
    /** Slices of candidates (candidates.ts) for a requested block. */
    readonly candidates: StreamRow<{ readonly build: number; readonly terms: SelectionTerms }, Uint8Array>
  }
}

type WriterOffers = {
  readonly requests: {
    readonly head: RequestRow<null, AnnouncedHead>
    readonly importBlock: RequestRow<ImportRequest, ImportVerdict>
    readonly importBlocks: RequestRow<BulkRequest, BulkAnswer>
    readonly validate: RequestRow<ImportRequest, { readonly ok: true } | InvalidBlock>
    readonly build: RequestRow<BuildRequest, BuildAnswer>
    readonly unwind: RequestRow<{ readonly to: number }, null>
    /** On development networks only, as the next three. */
    readonly edit: RequestRow<readonly AccountEdit[], null>
    readonly snapshot: RequestRow<null, number>
    readonly revert: RequestRow<{ readonly id: number }, boolean>
    readonly reset: RequestRow<null, null>
    readonly setHead: RequestRow<Omit<ImportRequest, 'block'> & { readonly hash: Hash }, ImportVerdict>
    /** For blocks of a consensus client, as the next one. */
    readonly offer: RequestRow<ImportRequest, OfferVerdict>
    readonly choose: RequestRow<Omit<ImportRequest, 'block'> & ForkChoice, ChoiceVerdict>
    /** Hashes the concatenated pieces. */
    readonly keccak: RequestRow<readonly Uint8Array[], Uint8Array>
    readonly badBlocks: RequestRow<null, readonly BadBlock[]>
    readonly nextValidators: RequestRow<null, NextValidators | null>
    /** Connects a line on which the peers thread sends blocks. */
    readonly openImportLine: RequestRow<LinePort, null>
  }
  readonly events: { readonly headMoved: HeadChange; readonly peersImported: PeersImport }
}

/** Allows for repairing the trie after a crash, and for block 0 of a large genesis file. */
export const WRITER_START_DEADLINE_MS = 600_000
/** A block may take this long, and the thread answers nothing meanwhile. */
const CARE_DEADLINE_MS = 30_000

/** Neither restarted nor ended for its memory use: the node stops with it. */
export const WRITER = defineThread<{ data: WriterConfig; offers: WriterOffers; asks: OwnerOffers }>({
  name: 'writer',
  entry: import.meta.resolve('#chain/writer/writer-thread-entry.ts'),
  restart: 'never',
  heap: BOUNDED_YOUNG_GENERATION,
  startDeadlineMs: WRITER_START_DEADLINE_MS,
  careDeadlineMs: CARE_DEADLINE_MS,
})

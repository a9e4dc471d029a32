/** What the writer thread answers and tells. Blocks and transactions cross as bytes. */

import type { InvalidBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { LeftOut, SelectionTerms } from '#chain/build/candidates.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { ImportVerdict } from '#chain/write/create-chain.ts'
import type { HeadBlock, HeadNews, NextMakers } from '#chain/write/head-news.ts'
import type { LogOptions } from '#platform/log/log.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
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
  readonly metricsPrefix: string
  readonly log: Pick<LogOptions, 'level' | 'format' | 'colour'>
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
export type OwnerOffers = {
  readonly requests: {
    /** Of transactions whose hashes are asked, where the owner knows them (known-senders.ts). */
    readonly senders: { readonly params: Uint8Array; readonly result: Uint8Array }
  }
  readonly streams: {
    /** Slices of candidates (candidates.ts) for a block that the owner asked for. */
    readonly candidates: {
      readonly params: { readonly build: number; readonly terms: SelectionTerms }
      readonly chunk: Uint8Array
    }
  }
}

export type WriterOffers = {
  readonly requests: {
    readonly head: { readonly params: null; readonly result: HeadBlock }
    readonly importBlock: { readonly params: ImportRequest; readonly result: ImportVerdict }
    readonly importBlocks: { readonly params: BulkRequest; readonly result: BulkAnswer }
    readonly validate: {
      readonly params: ImportRequest
      readonly result: { readonly ok: true } | InvalidBlock
    }
    readonly build: { readonly params: BuildRequest; readonly result: BuildAnswer }
    readonly unwind: { readonly params: { readonly to: number }; readonly result: null }
    readonly setHead: {
      readonly params: Cancellable & { readonly hash: Hash; readonly validation: HeaderValidation }
      readonly result: ImportVerdict
    }
    /** Of the pieces one after the other. */
    readonly keccak: { readonly params: readonly Uint8Array[]; readonly result: Uint8Array }
    readonly badBlocks: { readonly params: null; readonly result: readonly BadBlock[] }
    readonly makersOfNext: { readonly params: null; readonly result: NextMakers | null }
    readonly metrics: { readonly params: null; readonly result: MetricsSnapshot }
    readonly setLogLevel: {
      readonly params: { readonly level: LogLevel; readonly names: readonly string[] | undefined }
      readonly result: null
    }
  }
  readonly news: { readonly headMoved: HeadNews }
}

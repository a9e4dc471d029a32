import type { ReceivedBlock } from '#chain/block/stages.ts'
import type { CreateHeaderRules, HeaderValidation } from '#chain/rules/header-rules.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Store } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'

/** What a chain is made of. */
export interface ChainParts {
  /** Opened with `genesisHash`. The chain closes it. */
  readonly store: Store
  /** genesisHashOf(genesis): a million accounts take seconds, so that it is computed once. */
  readonly genesisHash: Hash
  readonly genesis: Genesis
  readonly engine: Engine
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Log
  /** Where consensus says nothing, createPlainHeaderRules. */
  readonly createHeaderRules?: CreateHeaderRules
  /** --revert-reason-enabled. */
  readonly keepRevertReasons?: boolean
  /** --trace-store-enabled; true unless said otherwise. */
  readonly keepCallTrees?: boolean
  /** --reorg-logging-threshold: a reorganisation of more blocks is a warning. */
  readonly reorgLoggingThreshold?: number
}

export const DEFAULT_REORG_LOGGING_THRESHOLD = 6

/** One for each transaction, undefined where it is not known; or none at all. */
export type KnownSenders = readonly (Address | undefined)[] | undefined

/** How one block, or a list of them, is imported. */
export interface ImportOptions {
  /** `full` unless said otherwise. */
  readonly validation?: HeaderValidation
  /** evm/engine.ts: another thread sets it, and the work ends with ENGINE_CANCELLED. */
  readonly cancel?: Int32Array | undefined
  /** Of the transactions of a block, where another thread recovered them; believed. Asked when it is executed. */
  readonly sendersOf?: (block: ReceivedBlock) => KnownSenders | Promise<KnownSenders>
}

import type { ReceivedBlock } from '#chain/block/stages.ts'
import type { ledgerOptions } from '#chain/options.ts'
import type { CreateHeaderRules, HeaderValidation } from '#chain/rules/header-rules.ts'
import type { ValuesOf } from '#config/option.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Store } from '#store/writer.ts'
import type { Address } from '#types/address.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'

/** Dependencies of a chain, and its ledger options; missing options have their defaults. */
export interface ChainParts extends Partial<ValuesOf<typeof ledgerOptions>> {
  /** Opened with `genesisHash`. The chain closes it. */
  readonly store: Store
  /** genesisHashOf(genesis), computed once because a million accounts take seconds. */
  readonly genesisHash: Hash
  readonly genesis: Genesis
  readonly engine: Engine
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Log
  /** Defaults to createPlainHeaderRules. */
  readonly createHeaderRules?: CreateHeaderRules
}

/** One entry per transaction, undefined if unknown; or no entries at all. */
export type KnownSenders = readonly (Address | undefined)[] | undefined

export interface ImportOptions {
  /** Defaults to `full`. */
  readonly validation?: HeaderValidation
  /** The cancel cell (evm/engine.ts): another thread sets it, and the work ends with ENGINE_CANCELLED. */
  readonly cancel?: Int32Array | undefined
  /** Returns senders that another thread recovered, which are trusted. Called when the block is executed. */
  readonly sendersOf?: (block: ReceivedBlock) => KnownSenders | Promise<KnownSenders>
}

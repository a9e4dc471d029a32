/**
 * The port that consensus fills: what only the makers of blocks can say about a header. The rules that follow from
 * the fork schedule alone are in validate-header.ts.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import type { Clock } from '#platform/clock.ts'
import type { StateReader } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import { cliqueSigner } from './clique-signer.ts'

/**
 * `full`: with seals. `light`: all but them, as for a proposal that has none yet, or for proof of work that the
 * operator said to skip. `none`: blocks that are known to be right, or whose headers are of no network.
 */
export type HeaderValidation = 'full' | 'light' | 'none'

export interface BlockMakers {
  /** Sorted. */
  readonly validators: readonly Address[]
  /** Votes that have not decided yet, by subject and voter; undefined: validators are not voted for. */
  readonly votes: ReadonlyMap<Address, ReadonlyMap<Address, 'add' | 'drop'>> | undefined
}

export interface HeaderRules {
  /**
   * What is wrong, as a sentence; undefined if nothing is. It may read the state of the parent, so that it waits;
   * that is undefined where the parent is a block beside the chain. Not called with `none`.
   */
  verifyHeader(
    header: BlockHeader,
    parent: KnownHeader,
    rules: Rules,
    validation: Exclude<HeaderValidation, 'none'>,
    parentState: StateReader | undefined,
  ): Promise<string | undefined> | string | undefined
  /** What is wrong with bytes of the header that its hash leaves out; part of verifyHeader too. */
  refuseEncoding?(header: BlockHeader): string | undefined
  /** Whether who may make the block after `parent` is known only with the state of `parent`. */
  needsState?(parent: KnownHeader): boolean
  /** Who may make the block after `parent`, where that is for validators to do. */
  makersAfter?(parent: KnownHeader, parentState: StateReader): Promise<BlockMakers>
  /** Who is paid for a block whose header does not say it; undefined: it does. */
  beneficiaryOf?(header: BlockHeader): Address | undefined
}

/** What rules are made of. */
export interface HeaderRulesTools {
  readonly genesis: Genesis
  readonly crypto: Crypto
  readonly engine: Engine
  readonly clock: Pick<Clock, 'wallMs'>
  /** Of a block that is stored, or was executed and is not stored yet. */
  findHeader(hash: Hash): BlockHeader | undefined
}

export type CreateHeaderRules = (tools: HeaderRulesTools) => HeaderRules

/** Rules belong to a room above this one, which names the file that holds them. */
export async function loadHeaderRules(module: string | undefined): Promise<CreateHeaderRules> {
  if (module === undefined) return createPlainHeaderRules
  const loaded: { readonly createHeaderRules: CreateHeaderRules } = await import(module)
  return loaded.createHeaderRules
}

/**
 * What can be said without consensus: hashes of BFT headers were computed when they were decoded, and their seals
 * and validators are for consensus. Proof of work is not verified at all, and said so rather than passed over.
 */
export function createPlainHeaderRules({
  genesis: { config },
  crypto,
}: Pick<HeaderRulesTools, 'genesis' | 'crypto'>): HeaderRules {
  return {
    verifyHeader: (_header, _parent, rules, validation) => {
      if (rules.consensus !== 'work' || validation === 'light') return undefined
      return 'Cairn does not verify proof of work. Import blocks that you trust with --skip-pow-validation-enabled.'
    },
    beneficiaryOf: (header) =>
      rulesAt(config, header).consensus === 'clique' ? cliqueSigner(header, crypto) : undefined,
  }
}

/**
 * The interface that consensus implements: judgements on a header that depend on the consensus protocol. Rules that
 * follow from the fork schedule alone are in validate-header.ts.
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
 * `full` includes seals. `light` omits them, for proposals without seals and for proof of work if the operator skips
 * it. `none` is for blocks known to be valid and for headers that belong to no network.
 */
export type HeaderValidation = 'full' | 'light' | 'none'

export interface ValidatorSet {
  readonly validators: readonly Address[]
  /** Undecided votes by subject and voter; undefined if validators are not voted for. */
  readonly votes: ReadonlyMap<Address, ReadonlyMap<Address, 'add' | 'drop'>> | undefined
}

export interface HeaderRules {
  /**
   * Returns the problem as a sentence, or undefined if the header is valid. It may read the parent's state, which is
   * undefined for a parent outside the canonical chain. Not called with `none`.
   */
  verifyHeader(
    header: BlockHeader,
    parent: KnownHeader,
    rules: Rules,
    validation: Exclude<HeaderValidation, 'none'>,
    parentState: StateReader | undefined,
  ): Promise<string | undefined> | string | undefined
  /** Checks header bytes that the hash omits; verifyHeader includes this check. */
  refuseEncoding?(header: BlockHeader): string | undefined
  /** Whether the validators of the next block depend on the state of `parent`. */
  needsState?(parent: KnownHeader): boolean
  /** Returns the validators of the block after `parent` on networks that have validators. */
  validatorSetAfter?(parent: KnownHeader, parentState: StateReader): Promise<ValidatorSet>
  /** Returns the beneficiary of a block whose header does not name it. */
  beneficiaryOf?(header: BlockHeader): Address | undefined
}

export interface HeaderRulesTools {
  readonly genesis: Genesis
  readonly crypto: Crypto
  readonly engine: Engine
  readonly clock: Pick<Clock, 'wallMs'>
  /** Finds a block that is stored, or executed and not stored yet. */
  findHeader(hash: Hash): BlockHeader | undefined
}

export type CreateHeaderRules = (tools: HeaderRulesTools) => HeaderRules

/** The rules belong to a higher room, which names the module. */
export async function loadHeaderRules(module: string | undefined): Promise<CreateHeaderRules> {
  if (module === undefined) return createPlainHeaderRules
  const loaded: { readonly createHeaderRules: CreateHeaderRules } = await import(module)
  return loaded.createHeaderRules
}

/**
 * The rules without consensus. Seals and validators of BFT headers are left to consensus. Proof of work is not
 * verified, and the error says so.
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

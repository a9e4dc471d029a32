/**
 * The port that consensus fills: what only the makers of blocks can say about a header. The rules that follow from
 * the fork schedule alone are in validate-header.ts.
 */
import type { Crypto } from '#evm/crypto.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block-header.ts'
import type { Genesis } from '#types/genesis.ts'
import { cliqueSigner } from './clique-signer.ts'
import type { KnownHeader } from './stages.ts'

/**
 * `full`: with seals. `light`: all but them, as for a proposal that has none yet, or for proof of work that the
 * operator said to skip. `none`: blocks that are known to be right, or whose headers are of no network.
 */
export type HeaderValidation = 'full' | 'light' | 'none'

export interface HeaderRules {
  /**
   * What is wrong, as a sentence; undefined if nothing is. It may read the state of the parent, so that it waits;
   * not called with `none`.
   */
  verifyHeader(
    header: BlockHeader,
    parent: KnownHeader,
    rules: Rules,
    validation: Exclude<HeaderValidation, 'none'>,
  ): Promise<string | undefined> | string | undefined
  /** Who is paid for a block whose header does not say it; undefined: it does. */
  beneficiaryOf?(header: BlockHeader): Address | undefined
}

/**
 * What can be said without consensus: hashes of BFT headers were computed when they were decoded, and their seals
 * and validators are for consensus. Proof of work is not verified at all, and said so rather than passed over.
 */
export function createPlainHeaderRules({ config }: Genesis, crypto: Crypto): HeaderRules {
  return {
    verifyHeader: (_header, _parent, rules, validation) => {
      if (rules.consensus !== 'work' || validation === 'light') return undefined
      return 'Cairn does not verify proof of work. Import blocks that you trust with --skip-pow-validation-enabled.'
    },
    beneficiaryOf: (header) =>
      rulesAt(config, header).consensus === 'clique' ? cliqueSigner(header, crypto) : undefined,
  }
}

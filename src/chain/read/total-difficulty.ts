/** The sum of difficulties up to a block, which the store does not keep: no rule needs it any more. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { assert } from '#types/assert.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

/** Sums remembered, and the distance between two of them in blocks. */
const REMEMBERED_MAX = 10_000
const SPACING = 256n
/** Every block of theirs has difficulty 1. */
const BFT_PROTOCOLS: ReadonlySet<string> = new Set(['qbft', 'ibft2', 'migration'])

/** Then the sum follows from the number of a block. */
export function hasBftDifficulty({ config }: Genesis): boolean {
  return BFT_PROTOCOLS.has(config.consensus.protocol)
}

export class TotalDifficulties {
  readonly #lookup: Lookup
  readonly #isBft: boolean
  readonly #genesisDifficulty: bigint
  readonly #remembered = new Map<Hash, bigint>()

  constructor(lookup: Lookup, genesis: Genesis) {
    this.#lookup = lookup
    this.#isBft = hasBftDifficulty(genesis)
    this.#genesisDifficulty = genesis.header.difficulty
  }

  /** A sum where every block counts one; else a walk to the last block whose sum is remembered. */
  of(block: KnownHeader): bigint {
    if (this.#isBft) return this.#genesisDifficulty + block.header.number
    const walked: KnownHeader[] = []
    let at = block
    while (at.header.number > 0n && !this.#remembered.has(at.hash)) {
      walked.push(at)
      at = this.#parentOf(at)
    }
    let sum = this.#remembered.get(at.hash) ?? this.#genesisDifficulty
    for (const { hash, header } of walked.reverse()) {
      sum += header.difficulty
      if (header.number % SPACING === 0n || hash === block.hash) this.#remember(hash, sum)
    }
    return sum
  }

  #parentOf({ header }: KnownHeader): KnownHeader {
    const parent = this.#lookup.header(header.parentHash)
    assert(parent !== undefined, 'A stored block has a stored parent.')
    return parent
  }

  #remember(hash: Hash, sum: bigint): void {
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(hash, sum)
  }
}

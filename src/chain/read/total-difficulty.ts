/** The sum of difficulties up to a block. The store does not keep it, because no rule needs it any more. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { isMerged } from '#chain/rules/merged-head.ts'
import { assert } from '#types/assert.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

/** Cached sums, and the distance between two of them in blocks. */
const REMEMBERED_MAX = 10_000
const SPACING = 256n
const BFT_PROTOCOLS: ReadonlySet<string> = new Set(['qbft', 'ibft2', 'migration'])

/** Whether every block has difficulty 1, so the sum follows from the number. */
export function hasBftDifficulty({ config }: Genesis): boolean {
  return BFT_PROTOCOLS.has(config.consensus.protocol)
}

export class TotalDifficulties {
  readonly #lookup: Lookup
  readonly #isBft: boolean
  readonly #genesisDifficulty: bigint
  readonly #terminal: bigint
  readonly #remembered = new Map<Hash, bigint>()

  constructor(lookup: Lookup, genesis: Genesis) {
    this.#lookup = lookup
    this.#isBft = hasBftDifficulty(genesis)
    this.#genesisDifficulty = genesis.header.difficulty
    this.#terminal = genesis.config.terminalTotalDifficulty ?? 0n
  }

  /**
   * Walks back to the last block with a cached sum, unless every block counts one. If the chain begins with an imported state
   * after the merge, the sum there is the terminal total difficulty: no peer needs the exact one, and the headers are too many.
   */
  of(block: KnownHeader): bigint {
    if (this.#isBft) return this.#genesisDifficulty + block.header.number
    const first = this.#terminal === 0n ? 0 : this.#lookup.firstBlock()
    const isImported = ({ header }: KnownHeader) => Number(header.number) <= first && isMerged(header)
    const walked: KnownHeader[] = []
    let at = block
    while (at.header.number > 0n && !this.#remembered.has(at.hash) && !isImported(at)) {
      walked.push(at)
      at = this.#parentOf(at)
    }
    let sum = this.#remembered.get(at.hash) ?? (isImported(at) ? this.#terminal : this.#genesisDifficulty)
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

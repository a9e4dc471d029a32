/**
 * Fetches the ancestors of a block that the consensus client chose: headers downwards until one is stored, then bodies upwards.
 * Each header has the hash that its child names, so a peer can refuse, but not lie.
 */

import { tooDeep } from '#chain/write/fork-choice.ts'
import { ifReadable } from '#sync/if-readable.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import { MAX_BODIES } from '#sync/wire/eth-codes.ts'
import { joinBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { CatchUpParts } from './catch-up.ts'
import { askAncestors, askBodies, askEach } from './fetch-by-hash.ts'
import { HEADERS_ASKED } from './fetch-headers.ts'
import type { ChainedHeader } from './header-chain.ts'
import { knownBody } from './match-bodies.ts'

/** Blocks that are fetched and passed on together. */
const BLOCKS_AT_ONCE = 32
/** Maximum headers kept, some 64 MB. A longer branch needs a copy of another node's database. */
const MAX_BRANCH = 65_536

export interface FetchBranchParts extends Pick<CatchUpParts, 'log' | 'chain' | 'hashBlock' | 'peers'> {
  readonly keccak: Keccak
  /** Maximum headers kept; tests lower it. */
  readonly maxBranch?: number
  /** Passes blocks on, lowest first. Resolves with false if no more are wanted. */
  readonly offer: (head: Hash, blocks: readonly Uint8Array[]) => Promise<boolean>
  /** Called if the branch does not contain the first block of this node; nothing below it is fetched. */
  readonly refuse: (head: Hash, sentence: string) => Promise<void>
  /** Aborted when the node stops. */
  readonly signal: AbortSignal
}

export class FetchBranch {
  readonly #parts: FetchBranchParts
  #isBusy = false

  constructor(parts: FetchBranchParts) {
    this.#parts = parts
  }

  /** Ignored while a branch is being fetched: the consensus client names its head again with every block. */
  async seek(target: Hash): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      const headers = await this.#headersTo(target)
      if (headers === undefined) return
      this.#parts.log.info('Fetching blocks below the chosen head', { head: target, blocks: headers.length })
      for (let from = 0; from < headers.length; from += BLOCKS_AT_ONCE) {
        const blocks = await this.#blocksOf(headers.slice(from, from + BLOCKS_AT_ONCE))
        if (blocks === undefined || !(await this.#parts.offer(target, blocks))) return
      }
    } finally {
      this.#isBusy = false
    }
  }

  /** Headers after the last stored block, lowest first. Undefined if no peer has them. */
  async #headersTo(target: Hash): Promise<readonly ChainedHeader[] | undefined> {
    const { log, chain, maxBranch = MAX_BRANCH } = this.#parts
    const first = chain.lookup.firstBlock()
    const headers: ChainedHeader[] = []
    let wanted = target
    while (!this.#isStored(wanted)) {
      const reached = headers.at(-1)?.header.number
      if (reached === 0n || headers.length >= maxBranch) {
        log.warn(SYNC_PROBLEMS.branchNotConnected, { head: target, headers: headers.length })
        return undefined
      }
      const count =
        reached === undefined ? HEADERS_ASKED : Math.min(HEADERS_ASKED, Number(reached) - first - 1)
      const { hashBlock } = this.#parts
      const ask = { from: wanted, count: Math.max(1, count), hashBlock }
      const found = await askEach(this.#parts, (peer) => askAncestors(peer, ask))
      if (found === undefined) return undefined
      for (const next of found) {
        headers.push(next)
        wanted = next.header.parentHash
        if (await this.#refuses(target, next.header, first)) return undefined
        if (this.#isStored(wanted)) break
      }
    }
    return headers.reverse()
  }

  /** Refuses a branch whose block at the height of the first block of this node is another one. */
  async #refuses(target: Hash, { number, parentHash }: BlockHeader, first: number): Promise<boolean> {
    const height = Number(number) - 1
    const isAbove = height > first || (height === first && this.#isStored(parentHash))
    if (first === 0 || isAbove) return false
    const { log, refuse } = this.#parts
    log.warn(SYNC_PROBLEMS.branchWithoutFirstBlock, { head: target, first })
    await refuse(target, tooDeep({ lowest: first, first }))
    return true
  }

  async #blocksOf(headers: readonly ChainedHeader[]): Promise<readonly Uint8Array[] | undefined> {
    const bodies = headers.map(({ header }) => knownBody(header))
    for (;;) {
      const missing = headers
        .flatMap((_, index) => (bodies[index] === undefined ? index : []))
        .slice(0, MAX_BODIES)
      if (missing.length === 0) break
      const wanted = missing.map((index) => headers[index]!)
      const found = await askEach(this.#parts, (peer) => askBodies(peer, wanted, this.#parts.keccak))
      if (found === undefined) return undefined
      for (const [at, body] of found.entries()) bodies[missing[at]!] = body
    }
    return headers.map(({ encoded }, index) => joinBlock(encoded, bodies[index]!.encoded))
  }

  #isStored(hash: Hash): boolean {
    return ifReadable(() => this.#parts.chain.lookup.header(hash)) !== undefined
  }
}

/**
 * Validators as headers name them: every block may carry one vote, and the votes since the last epoch decide. The tally
 * after a block follows from that after its parent, and is kept by the hash of the block.
 */
import { bftProtocolAt, isEpochBlock } from '#consensus/bft/protocol-at.ts'
import type { Crypto } from '#evm/crypto.ts'
import { assert } from '#types/assert.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { Hash } from '#types/hash.ts'
import { validatorsInHeader, voteInHeader } from './header-votes.ts'
import { applyVote, type CastVote, tallyOf, type VoteTally } from './vote-tally.ts'

/**
 * Most tallies are the same object as the one before. A node that catches up counts the votes of a few thousand headers ahead of
 * its head, and asks for the tally after the head meanwhile.
 */
const MAX_KEPT = 8_192

export interface VoteHistoryTools {
  readonly config: GenesisConfig
  readonly crypto: Pick<Crypto, 'keccak' | 'recover'>
  findHeader(hash: Hash): BlockHeader | undefined
}

/** What a block does to the tally of its parent. */
interface Step {
  readonly hash: Hash
  readonly restart: VoteTally | undefined
  readonly vote: CastVote | undefined
}

export class VoteHistory {
  readonly #tools: VoteHistoryTools
  readonly #kept = new Map<Hash, VoteTally>()

  constructor(tools: VoteHistoryTools) {
    this.#tools = tools
  }

  /** Goes back as far as the epoch began where nothing is kept yet: tens of thousands of headers on a long epoch. */
  after(block: { readonly hash: Hash; readonly header: BlockHeader }): VoteTally {
    const steps: Step[] = []
    let { hash, header } = block
    let tally = this.#kept.get(hash)
    while (tally === undefined) {
      const step = this.#step(hash, header)
      steps.push(step)
      tally = step.restart
      if (tally !== undefined) break
      hash = header.parentHash
      tally = this.#kept.get(hash)
      if (tally === undefined) header = this.#headerOf(hash)
    }
    for (const step of steps.reverse()) {
      if (step.vote !== undefined) tally = applyVote(tally, step.vote)
      this.#keep(step.hash, tally)
    }
    return tally
  }

  #step(hash: Hash, header: BlockHeader): Step {
    const { config, crypto } = this.#tools
    const { consensus } = config
    // The rules of the block that follows: those of QBFT begin with the last block of its past.
    const active = bftProtocolAt(consensus, header.number + 1n)
    const isEpoch = isEpochBlock(active, header.number)
    const transitions = active.protocol === 'ibft' ? [] : active.config.transitions
    const override = transitions.find(({ block }) => block === header.number + 1n)?.validators
    const listed = override ?? (isEpoch ? validatorsInHeader(consensus, header) : undefined)
    const vote = isEpoch ? undefined : voteInHeader(consensus, header, crypto)
    return { hash, restart: listed && tallyOf(listed), vote }
  }

  #headerOf(hash: Hash): BlockHeader {
    const header = this.#tools.findHeader(hash)
    assert(header !== undefined, 'A block that is known has ancestors that are known.')
    return header
  }

  #keep(hash: Hash, tally: VoteTally): void {
    this.#kept.set(hash, tally)
    if (this.#kept.size <= MAX_KEPT) return
    const oldest = this.#kept.keys().next()
    if (!oldest.done) this.#kept.delete(oldest.value)
  }
}

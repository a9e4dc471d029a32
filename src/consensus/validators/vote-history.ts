/**
 * Validators named by headers: each block may contain one vote, and the votes since the last epoch decide. The tally after a
 * block follows from its parent's and is cached by block hash.
 */
import type { KnownHeader } from '#chain/block/stages.ts'
import { bftProtocolAt, isEpochBlock } from '#consensus/bft/protocol-at.ts'
import type { Crypto } from '#evm/crypto.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import { assert } from '#types/assert.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { Hash } from '#types/hash.ts'
import { validatorsInHeader, voteInHeader } from './header-votes.ts'
import { applyVote, type CastVote, tallyOf, type VoteTally } from './vote-tally.ts'

/**
 * Most tallies share one object. A syncing node counts votes a few thousand headers ahead of its head, and asks for the tally
 * after the head meanwhile.
 */
const MAX_KEPT = 8_192

export interface VoteHistoryTools {
  readonly config: GenesisConfig
  readonly crypto: Pick<Crypto, 'keccak' | 'recover'>
  findHeader(hash: Hash): BlockHeader | undefined
}

/** The effect of a block on its parent's tally. */
interface Step {
  readonly hash: Hash
  readonly restart: VoteTally | undefined
  readonly vote: CastVote | undefined
}

export class VoteHistory {
  readonly #tools: VoteHistoryTools
  readonly #kept = new BoundedMap<Hash, VoteTally>(MAX_KEPT)

  constructor(tools: VoteHistoryTools) {
    this.#tools = tools
  }

  /** Walks back to the start of the epoch if nothing is cached: tens of thousands of headers for a long epoch. */
  after(block: KnownHeader): VoteTally {
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
      this.#kept.set(step.hash, tally)
    }
    return tally
  }

  #step(hash: Hash, header: BlockHeader): Step {
    const { config, crypto } = this.#tools
    const { consensus } = config
    // Uses the rules of the next block: those of QBFT begin with the last block before the migration.
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
}

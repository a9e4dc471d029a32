/** Watches every honest validator and reports violations of invariants. */
import type { Report, SignatureEntry } from '#consensus/bft/events.ts'
import type { BftMessage, CommitPayload, Draft, ProposalMessage, RoundId } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { decisiveCount, type HeightFacts, proposalFlaw, provingCount, turnOf } from './oracle.ts'
import type { DecidedBlock, SimChain } from './sim-chain.ts'

/** The part of a validator that the monitor needs. */
export interface Watched {
  readonly name: string
  readonly address: Address
  readonly head: DecidedBlock
  readonly wasRestored: boolean
}

/** The messages that reached a validator, by height. */
class Heard {
  readonly proposals = new Map<string, Set<ProposalMessage>>()
  readonly prepares = new Map<string, Set<Address>>()
  /** The rounds that each validator asked for. */
  readonly roundChanges = new Map<string, Map<Address, Set<number>>>()

  forgetBelow(height: number): void {
    for (const map of [this.proposals, this.prepares, this.roundChanges]) {
      for (const key of map.keys()) if (Number.parseInt(key, 10) < height) map.delete(key)
    }
  }
}

const MAX_VIOLATIONS = 10

export class Monitor {
  readonly violations: string[] = []
  readonly decided = new Map<number, DecidedBlock>()
  /** The highest round that an honest validator started, by height. */
  readonly rounds = new Map<number, number>()
  /** Honest validators that signed nothing because their signature log is older than the chain, by height. */
  readonly abstained = new Map<number, Set<Address>>()
  readonly #chain: SimChain
  readonly #heard = new Map<Address, Heard>()
  readonly #signed = new Map<string, Hash>()
  /** The last height and round in which a validator committed. */
  readonly #committed = new Map<Address, { readonly height: number; readonly round: number }>()

  constructor(chain: SimChain) {
    this.#chain = chain
  }

  violate(sentence: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push(sentence)
  }

  onDelivered({ address }: Watched, message: BftMessage): void {
    const { author, payload } = message.signed
    if (message.kind === 'proposal') {
      this.#addProposal(address, message)
    } else if (message.kind === 'prepare') {
      this.#addPrepare(address, message.signed.payload, author)
    } else if (message.kind === 'roundChange') {
      const { roundChanges } = this.#heardBy(address)
      const key = `${payload.height}:`
      const byAuthor = roundChanges.get(key) ?? new Map<Address, Set<number>>()
      roundChanges.set(key, byAuthor.set(author, (byAuthor.get(author) ?? new Set()).add(payload.round)))
    }
  }

  /** Called when an honest validator signs, even if it never sends the message. */
  onSigning(validator: Watched, draft: Draft, wallMs: number): void {
    if (draft.kind === 'roundChange') {
      if (!validator.wasRestored) this.#requireCertificate(validator, draft)
      return
    }
    // Before it gets the others' blocks it cannot know better, and signatures for decided blocks are harmless.
    if (validator.wasRestored && this.decided.has(draft.height)) return
    const digest = draft.kind === 'proposal' ? draft.block.digest : draft.digest
    const key = `${validator.address}:${draft.height}:${draft.round}:${draft.kind}`
    const before = this.#signed.get(key)
    if (before !== undefined && before !== digest) {
      this.violate(`${validator.name} signs two ${draft.kind}s in ${draft.height}/${draft.round}`)
    }
    this.#signed.set(key, digest)
    if (draft.kind === 'prepare') {
      this.#requireGood(validator, draft, wallMs)
      this.#addPrepare(validator.address, draft, validator.address)
    }
    if (draft.kind === 'commit') {
      this.#committed.set(validator.address, draft)
      this.#requirePrepared(validator, draft)
    }
  }

  onSend(validator: Watched, message: BftMessage): void {
    if (message.kind !== 'proposal') return
    const facts = this.#factsOf(validator)
    const flaw = proposalFlaw(message, facts)
    if (flaw !== undefined) this.violate(`${validator.name} proposes what ${flaw} (height ${facts.height})`)
    this.#addProposal(validator.address, message)
  }

  /** Called with the entry that it persists. */
  onPersist(validator: Watched, { certificate, height }: SignatureEntry): void {
    if (certificate === undefined || this.#chain.isWhole(certificate.block)) return
    this.violate(`${validator.name} keeps a certificate with a false body (height ${height})`)
  }

  onReport(validator: Watched, report: Report): void {
    if (report.kind === 'abstained') {
      const { height } = report
      this.abstained.set(height, (this.abstained.get(height) ?? new Set()).add(validator.address))
    }
    if (report.kind !== 'roundStarted') return
    this.rounds.set(report.height, Math.max(report.round, this.rounds.get(report.height) ?? 0))
    this.#requireCause(validator, report)
  }

  /** A validator may only prepare a justified proposal with a valid block. */
  #requireGood(
    validator: Watched,
    { height, round, digest }: RoundId & { digest: Hash },
    wallMs: number,
  ): void {
    const facts = this.#factsOf(validator)
    const proposals = this.#heardBy(validator.address).proposals.get(`${height}:${round}:${digest}`) ?? []
    const problems = [...proposals].map((proposal) => {
      const flaw = proposalFlaw(proposal, facts)
      return flaw === undefined
        ? this.#chain.problemOf(proposal.block, validator.head, wallMs)
        : `It ${flaw}.`
    })
    if (problems.some((problem) => problem === undefined)) return
    const why = problems[0] ?? 'It never received it.'
    this.violate(`${validator.name} prepares what is not to be prepared (height ${height}). ${why}`)
  }

  #addProposal(hearer: Address, message: ProposalMessage): void {
    const { height, round } = message.signed.payload
    const key = `${height}:${round}:${message.block.digest}`
    const { proposals } = this.#heardBy(hearer)
    proposals.set(key, (proposals.get(key) ?? new Set()).add(message))
  }

  /** A validator that committed was prepared, and must say so until the height is over. */
  #requireCertificate({ address, name }: Watched, draft: Draft & { kind: 'roundChange' }): void {
    const committed = this.#committed.get(address)
    if (committed?.height !== draft.height || committed.round >= draft.round) return
    if (draft.certificate !== undefined && draft.certificate.round >= committed.round) return
    this.violate(`${name} changes to round ${draft.round} without what it was prepared for`)
  }

  /** A validator only follows f + 1 others. */
  #requireCause(validator: Watched, { height, round, why }: Report & { kind: 'roundStarted' }): void {
    if (why !== 'someAhead' && why !== 'quorum') return
    const { validators } = this.#factsOf(validator)
    const asked =
      this.#heardBy(validator.address).roundChanges.get(`${height}:`) ?? new Map<Address, Set<number>>()
    const others = [...asked].filter(([author, rounds]) => {
      const isThere = [...rounds].some((known) => (why === 'quorum' ? known === round : known >= round))
      return isThere && validators.includes(author) && author !== validator.address
    })
    const enough =
      why === 'quorum' ? decisiveCount(validators.length) - 1 : Math.floor((validators.length - 1) / 3) + 1
    if (others.length >= enough) return
    this.violate(`${validator.name} follows ${others.length} others to round ${round}`)
  }

  /** Returns undefined if the seals decide the block. */
  sealsProblem(decided: DecidedBlock): string | undefined {
    const { block, seals, parent } = decided
    if (block === undefined || parent === undefined) return undefined
    const validators = this.#chain.validatorsAfter(parent)
    const authors = new Set<Address>()
    for (const seal of seals) {
      const author = this.#chain.authorOfSeal(seal, block.digest)
      if (author === undefined || !validators.includes(author)) return 'has a seal of a stranger'
      if (authors.has(author)) return 'has two seals of one validator'
      authors.add(author)
    }
    return authors.size >= decisiveCount(validators.length) ? undefined : 'has too few seals'
  }

  onDecided(validator: Watched, decided: DecidedBlock, wallMs: number): void {
    const { height, hash, block, parent } = decided
    const known = this.decided.get(height)
    if (known === undefined) this.decided.set(height, decided)
    else if (known.hash !== hash) this.violate(`two blocks are decided at height ${height}`)
    const seals = this.sealsProblem(decided)
    if (seals !== undefined) this.violate(`${validator.name} imports block ${height}, which ${seals}`)
    const problem = block && parent && this.#chain.problemOf(block, parent, wallMs)
    if (problem !== undefined) this.violate(`${validator.name} imports block ${height}. ${problem}`)
    this.#heardBy(validator.address).forgetBelow(height)
    if (known === undefined) this.#forgetSigned(height - 20)
  }

  #requirePrepared(
    validator: Watched,
    { height, round, digest }: Pick<CommitPayload, 'height' | 'round' | 'digest'>,
  ) {
    const facts = this.#factsOf(validator)
    if (height !== facts.height) return this.violate(`${validator.name} commits at another height`)
    const authors = new Set(this.#heardBy(validator.address).prepares.get(`${height}:${round}:${digest}`))
    if (facts.protocol === 'ibft2') authors.delete(turnOf(facts, round))
    const counted = [...authors].filter((author) => facts.validators.includes(author)).length
    const enough = provingCount(facts.protocol, facts.validators.length)
    if (counted < enough) this.violate(`${validator.name} commits after ${counted} prepares of ${enough}`)
  }

  #factsOf({ head }: Watched): HeightFacts {
    const { protocol, keccak } = this.#chain.settings
    const validators = this.#chain.validatorsAfter(head)
    return { protocol, keccak, height: head.height + 1, validators, parentAuthor: head.coinbase }
  }

  #addPrepare(
    hearer: Address,
    payload: { height: number; round: number; digest: Hash },
    author: Address,
  ): void {
    const key = `${payload.height}:${payload.round}:${payload.digest}`
    const { prepares } = this.#heardBy(hearer)
    const authors = prepares.get(key)
    if (authors === undefined) prepares.set(key, new Set([author]))
    else authors.add(author)
  }

  #heardBy(address: Address): Heard {
    const known = this.#heard.get(address)
    if (known !== undefined) return known
    const heard = new Heard()
    this.#heard.set(address, heard)
    return heard
  }

  #forgetSigned(height: number): void {
    for (const key of this.#signed.keys()) if (Number(key.split(':')[1]) < height) this.#signed.delete(key)
  }
}

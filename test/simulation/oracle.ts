/**
 * Judges whether a proposal was justified, by the published rules of QBFT (EEA) and IBFT 2.0, implemented independently of the
 * machine. Messages are read as data, by the fields in the rules.
 */
import type { Address } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

interface SignedMessage {
  readonly author: Address
  readonly payload: { readonly height: number; readonly round: number; readonly digest: Hash }
}

interface RoundChange {
  readonly author: Address
  readonly payload: {
    readonly height: number
    readonly round: number
    readonly prepared:
      | {
          readonly round: number
          readonly digest: Hash
          readonly proof:
            | { readonly proposal: SignedMessage; readonly prepares: readonly SignedMessage[] }
            | undefined
        }
      | undefined
  }
}

export interface JudgedProposal {
  readonly signed: SignedMessage
  readonly block: { readonly header: BlockHeader }
  readonly roundChanges: readonly RoundChange[]
  readonly prepares: readonly SignedMessage[]
}

/** The facts about a height that every honest validator knows. */
export interface HeightFacts {
  readonly protocol: BftProtocol
  readonly height: number
  readonly validators: readonly Address[]
  /** The author of the parent's content. */
  readonly parentAuthor: Address
  readonly keccak: Keccak
}

/** Two groups of this size share more than a third of the validators. */
export function decisiveCount(validators: number): number {
  return validators - Math.floor(validators / 3)
}

/** The number of prepares that, with the proposal, prove it prepared. */
export function provingCount(protocol: BftProtocol, validators: number): number {
  return protocol === 'qbft' ? decisiveCount(validators) : decisiveCount(validators) - 1
}

export function turnOf({ validators, parentAuthor }: HeightFacts, round: number): Address {
  const inOrder = [...validators].sort()
  const after = inOrder.filter((validator) => validator > parentAuthor)
  const first = after[0] ?? inOrder[0]!
  return inOrder[(inOrder.indexOf(first) + round) % inOrder.length]!
}

/** Returns why a proposal must not be accepted, or undefined. */
export function proposalFlaw(proposal: JudgedProposal, facts: HeightFacts): string | undefined {
  const { author, payload } = proposal.signed
  const { round } = payload
  if (payload.height !== facts.height) return 'is of another height'
  if (author !== turnOf(facts, round)) return 'is of a validator whose turn it is not'
  if (!digestsIn(facts, proposal.block.header, round).includes(payload.digest)) return 'names another digest'
  // IBFT 2.0 does not check the author of a block that was not prepared.
  const isFresh = facts.protocol === 'ibft2' || proposal.block.header.coinbase === author
  if (round === 0) {
    if (proposal.roundChanges.length > 0 || proposal.prepares.length > 0) return 'justifies round 0'
    return isFresh ? undefined : 'has in round 0 a block of another proposer'
  }
  const flaw = certificateFlaw(proposal.roundChanges, round, facts)
  if (flaw !== undefined) return flaw
  const claims = proposal.roundChanges.flatMap(({ payload: { prepared } }) => prepared ?? [])
  const best = Math.max(-1, ...claims.map((claim) => claim.round))
  if (best === -1) {
    if (proposal.prepares.length > 0) return 'has prepares that no round change claims'
    return isFresh ? undefined : 'has a block of another proposer that was not prepared'
  }
  const digests = new Set(claims.filter((claim) => claim.round === best).map(({ digest }) => digest))
  if (facts.protocol === 'qbft' && digests.size > 1) return 'shows two blocks prepared in one round'
  const digest = digestsIn(facts, proposal.block.header, best).find((one) => digests.has(one))
  if (digest === undefined) return 'has another block than the one prepared last'
  if (facts.protocol === 'qbft') return preparesFlaw(proposal.prepares, best, digest, facts)
  return undefined
}

function certificateFlaw(
  roundChanges: readonly RoundChange[],
  round: number,
  facts: HeightFacts,
): string | undefined {
  const authors = new Set<Address>()
  for (const { author, payload } of roundChanges) {
    if (!facts.validators.includes(author)) return 'shows a round change of a stranger'
    if (authors.has(author)) return 'shows two round changes of one validator'
    authors.add(author)
    if (payload.height !== facts.height || payload.round !== round) return 'shows a change to another round'
    const flaw = claimFlaw(payload.prepared, round, facts)
    if (flaw !== undefined) return flaw
  }
  return authors.size >= decisiveCount(facts.validators.length) ? undefined : 'shows too few round changes'
}

function claimFlaw(
  prepared: RoundChange['payload']['prepared'],
  round: number,
  facts: HeightFacts,
): string | undefined {
  if (prepared === undefined) return undefined
  if (prepared.round >= round || prepared.round < 0) return 'shows a claim about a later round'
  if (facts.protocol === 'qbft') return undefined
  // IBFT 2.0 signs the proof with the claim.
  const { proof, digest } = prepared
  if (proof === undefined) return 'shows a claim without its proof'
  const { proposal, prepares } = proof
  const isAbout = proposal.payload.height === facts.height && proposal.payload.round === prepared.round
  if (!isAbout || proposal.payload.digest !== digest) return 'shows a proof of something else'
  if (proposal.author !== turnOf(facts, prepared.round)) return 'shows a proof with a false proposer'
  if (prepares.some(({ author }) => author === proposal.author)) return 'shows a prepare of the proposer'
  return preparesFlaw(prepares, prepared.round, digest, facts)
}

function preparesFlaw(
  prepares: readonly SignedMessage[],
  round: number,
  digest: Hash,
  facts: HeightFacts,
): string | undefined {
  const authors = new Set<Address>()
  for (const { author, payload } of prepares) {
    if (!facts.validators.includes(author)) return 'shows a prepare of a stranger'
    if (authors.has(author)) return 'shows two prepares of one validator'
    authors.add(author)
    const isAbout = payload.height === facts.height && payload.round === round && payload.digest === digest
    if (!isAbout) return 'shows a prepare for something else'
  }
  const enough = provingCount(facts.protocol, facts.validators.length)
  return authors.size >= enough ? undefined : 'shows too few prepares'
}

/** The digests that validators of a round may use: some QBFT validators use that of round 0. */
function digestsIn(facts: HeightFacts, header: BlockHeader, round: number): readonly Hash[] {
  const digest = digestIn(facts, header, round)
  return facts.protocol === 'qbft' ? [digest, digestIn(facts, header, 0)] : [digest]
}

function digestIn({ protocol, keccak }: HeightFacts, header: BlockHeader, round: number): Hash {
  const content = decodeBftExtraData(protocol, header.extraData)
  const extraData = encodeBftExtraData(protocol, { ...content, round, seals: [] })
  return bftCommittedSealHash(protocol, { ...header, extraData }, keccak)
}

/**
 * Why the chain does not move, in one sentence: the causes that stop networks in practice, the surest first. Each is a
 * function of what was seen; the first that applies is told.
 */
import type { Address } from '#types/address.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import type { CoreSnapshot, ValidatorSnapshot } from './bft/core/snapshot.ts'
import type { WireGeneration } from './bft/messages.ts'
import { PROPOSER_BY } from './bft/proposer.ts'
import type { TurnedAway } from './driver-ports.ts'

export interface Evidence {
  readonly snapshot: CoreSnapshot
  /** Validators among the peers. */
  readonly connected: ReadonlySet<Address>
  /** Peers that exchange blocks with this node. */
  readonly exchanging: ReadonlySet<Address>
  /** Nodes of other networks that were met lately. */
  readonly turnedAway: readonly TurnedAway[]
  /** By how much the clock of this machine is ahead of the last blocks of others. */
  readonly clockAheadMs: number
  /** What this node sends. */
  readonly generation: WireGeneration
  readonly proposerOrder: ProposerOrder
  readonly wallMs: number
  readonly lastPersistMs: number
  readonly undecodedMessages: number
  /** The last thing that this node could not do, until it can. */
  readonly failure: WorkFailure | undefined
  /** Why blocks of peers cannot be written, until one is. */
  readonly importProblem: string | undefined
}

export interface WorkFailure {
  readonly what: 'build' | 'validate' | 'persist' | 'sign' | 'import'
  readonly height: number
  readonly sentence: string
}

/** A vote that takes so long to become durable uses up the round. */
const SLOW_PERSIST_MS = 1_000
/** Blocks carry whole seconds, and take a while. */
const AHEAD_MS = 4_000
const REFUSED_LATELY_MS = 30_000
/** Of validators that are silent. */
const MAX_TOLD = 8
const MAX_DOUBLINGS = 6
/** A parent so far ahead of this clock is no matter of rounding. */
const SKEW_MS = 2_000

type Cause = (evidence: Evidence) => string | undefined

const CAUSES: readonly Cause[] = [
  noValidators,
  importFails,
  notInSet,
  votesAhead,
  workFailed,
  parentAhead,
  clockAhead,
  duplicateKey,
  waitsAsRestored,
  waitsForRecord,
  strangers,
  timeRefused,
  slowDisk,
  otherGeneration,
  tooFewPeers,
  tooFewSpeak,
  otherOrder,
  proposalRefused,
  roundsGoOn,
  inStage,
]

export function explain(evidence: Evidence): string {
  for (const cause of CAUSES) {
    const sentence = cause(evidence)
    if (sentence !== undefined) return sentence
  }
  return 'Nothing is known to be wrong.'
}

function noValidators({ snapshot: { validators } }: Evidence): string | undefined {
  if (validators.length > 0) return undefined
  return 'The network has no validators, so that nobody can make a block; the extra data of its genesis file must name them.'
}

/** Before what a node that only follows is told: it does not even do that. */
function importFails({ importProblem }: Evidence): string | undefined {
  if (importProblem === undefined) return undefined
  return `This node cannot import the blocks of its peers, and tries again: ${importProblem}`
}

function notInSet({ snapshot: { isValidator, context } }: Evidence): string | undefined {
  if (isValidator) return undefined
  return `The key of this node is not among the ${context.validators.length} validators of block ${context.height}, so that it follows the chain and signs nothing; compare its address with the extra data of the genesis file.`
}

function votesAhead({ snapshot: { context, signed } }: Evidence): string | undefined {
  if (signed === undefined || signed.height <= context.height) return undefined
  return `This validator has voted for block ${signed.height} and its chain ends at block ${context.height - 1}, so that it signs nothing before that block: the chain was set back or restored. It goes on when the missing blocks are back, from the other validators or by cairn blocks import; only if all validators were set back, delete the file votes and start them with --bft-sign-without-votes.`
}

const UNABLE: Readonly<Record<WorkFailure['what'], string>> = {
  build: 'build a block',
  validate: 'execute the block that was proposed',
  persist: 'write down its votes, and signs nothing before',
  sign: 'sign',
  import: 'import the block that was decided, and tries again',
}

function workFailed({ snapshot: { context }, failure }: Evidence): string | undefined {
  if (failure === undefined) return undefined
  // A signature may take longer than a block: the others go on, and the next one is not to be had either.
  if (failure.height !== context.height && failure.what !== 'sign') return undefined
  return `This node cannot ${UNABLE[failure.what]}: ${failure.sentence}`
}

function parentAhead({ snapshot: { context }, wallMs }: Evidence): string | undefined {
  const aheadMs = context.parent.timestampSeconds * 1_000 - wallMs
  if (aheadMs <= SKEW_MS) return undefined
  return `The last block is ${Math.round(aheadMs / 1_000)} s ahead of this machine's clock, and the next waits for it; set the clocks of the validators by NTP.`
}

function waitsAsRestored({ snapshot }: Evidence): string | undefined {
  if (!snapshot.waitsAsRestored) return undefined
  return 'The data directory of this validator was restored from a backup, and what its key signed since then is not known, so that it signs nothing until the other validators have made a block since its start; if they cannot make one without it, or there are no others, and the node that had this key before is gone for good, start it once with --bft-sign-without-votes.'
}

function waitsForRecord({ snapshot: { context, signsFrom } }: Evidence): string | undefined {
  if (context.height >= signsFrom) return undefined
  return `The file of this validator's votes is missing or older than the chain, so that it signs nothing until the others have made a block since its start, and not before block ${signsFrom}; if every validator was restored like this, start them with --bft-sign-without-votes.`
}

function duplicateKey({ snapshot }: Evidence): string | undefined {
  const self = snapshot.validators.find(({ isSelf }) => isSelf)?.address
  const isCurrent = snapshot.refusals.some(
    ({ author, height }) => author === self && height === snapshot.context.height,
  )
  return isCurrent
    ? 'Votes with the key of this node arrive that are not in its file of votes: another node has the key, which is to be stopped, or the file was lost; it signs nothing for this block.'
    : undefined
}

/** Messages by keys that are no validators, while validators are silent. */
function strangers({ snapshot }: Evidence): string | undefined {
  const { context, refusals } = snapshot
  const authors = new Set(
    refusals
      .filter(({ author, height }) => height === context.height && !context.validators.includes(author))
      .map(({ author }) => author),
  )
  if (authors.size === 0 || heard(snapshot) >= snapshot.quorum) return undefined
  const [first] = authors
  return `${authors.size} node${authors.size === 1 ? '' : 's'}, ${first} among them, sign with keys that are not in the validator set; their keys and the extra data of the genesis file do not belong together.`
}

/** Also of an earlier block: a clock that is wrong stays wrong, and costs a round whenever its validator has its turn. */
function timeRefused({ snapshot, wallMs }: Evidence): string | undefined {
  const refused = snapshot.refusals.findLast(
    ({ what, sentence, wallMs: atMs }) =>
      what === 'proposal' && /time|clock/i.test(sentence) && Math.abs(wallMs - atMs) < REFUSED_LATELY_MS,
  )
  if (refused === undefined) return undefined
  return `The proposal of ${refused.author} for block ${refused.height} was refused for its time, so that its clock or this one is wrong: ${refused.sentence}`
}

/** Told before a record of votes that seems too old: by such a clock no block was made since the start. */
function clockAhead({ clockAheadMs }: Evidence): string | undefined {
  if (clockAheadMs < AHEAD_MS) return undefined
  return `The last blocks of other validators came ${Math.round(clockAheadMs / 1_000)} s after the time that they carry: the clock of this machine is ahead of theirs, and they refuse its proposals, or blocks reach it late; set the clocks of the validators by NTP.`
}

function slowDisk({ snapshot, lastPersistMs }: Evidence): string | undefined {
  if (lastPersistMs < SLOW_PERSIST_MS) return undefined
  const sentence = `The last vote took ${Math.round(lastPersistMs)} ms to reach the disk, which uses up the time of a round of ${snapshot.context.requestTimeoutMs} ms.`
  return `${sentence} Give the data directory a faster disk.`
}

function otherGeneration({ snapshot, generation, undecodedMessages }: Evidence): string | undefined {
  if (snapshot.round < 1) return undefined
  const others = snapshot.validators.filter(
    ({ lastHeard, isSelf }) => !isSelf && lastHeard?.generation !== undefined,
  )
  const isOther = others.filter(({ lastHeard }) => lastHeard?.generation !== generation)
  const asLegacy = generation === 'legacy' ? 'false' : 'true'
  if (isOther.length > 0 && isOther.length === others.length) {
    return `This node sends messages of the ${nameOf(generation)} form and every other validator those of the other, which nodes up to 25.12 cannot read; start it with --Xbft-legacy-protocol-encoding=${asLegacy}.`
  }
  if (others.length > 0 || undecodedMessages === 0 || heard(snapshot) >= snapshot.quorum) return undefined
  return `${undecodedMessages} messages of other validators could not be read; check which versions they run.`
}

/** Others pass messages on, so that a validator that is heard is reached although it is no peer. */
function tooFewPeers({ snapshot, connected, wallMs, ...others }: Evidence): string | undefined {
  const { quorum, validators } = snapshot
  const unreached = validators.filter(
    (each) => !each.isSelf && !connected.has(each.address) && !isHeard(each, snapshot, wallMs),
  )
  const reachable = validators.length - unreached.length
  if (reachable >= quorum) return undefined
  const needs = `${quorum} of ${validators.length} validators are needed, and this node can reach ${reachable} with itself; silent: ${silences(unreached, wallMs)}`
  const differences = [apart(others.turnedAway), speechless(unreached, others.exchanging)]
  const known = differences.filter((each) => each !== undefined)
  if (known.length > 0) return `${[needs, ...known].join('; ')}.`
  return `${needs}; check that they run and that their ports can be reached.`
}

const REMEDIES: Readonly<Record<TurnedAway['why'], string>> = {
  'network id': 'give all nodes the same --network-id, or none',
  'genesis block': 'give all nodes the same genesis file',
  forks: 'give all nodes a genesis file with the same forks',
}

function apart(turnedAway: readonly TurnedAway[]): string | undefined {
  const last = turnedAway.at(-1)
  if (last === undefined) return undefined
  const { why, address } = last
  const count = turnedAway.filter((each) => each.why === why).length
  return `${count} node${count === 1 ? '' : 's'}, ${address} among them, ${count === 1 ? 'was' : 'were'} turned away because of another ${why}: ${REMEDIES[why]}`
}

/** It would be connected if it spoke what this node speaks. */
function speechless(unreached: readonly ValidatorSnapshot[], exchanging: ReadonlySet<Address>) {
  const found = unreached.find(({ address }) => exchanging.has(address))
  if (found === undefined) return undefined
  return `${found.address} is a peer, and speaks no protocol of validators that this node speaks (istanbul/100 for QBFT, IBF/1 for IBFT 2.0): compare what the genesis files say about consensus`
}

function tooFewSpeak({ snapshot, connected, wallMs }: Evidence): string | undefined {
  const { quorum, validators, context, round } = snapshot
  const silent = validators.filter((each) => !each.isSelf && !isHeard(each, snapshot, wallMs))
  const speaking = validators.length - silent.length
  if (round < 1 || speaking >= quorum) return undefined
  const needs = `${quorum} of ${validators.length} validators are needed, and ${speaking} took part in block ${context.height}; silent: ${silences(silent, wallMs)}`
  const linked = silent.filter(({ address }) => connected.has(address)).length
  if (linked === 0) return `${needs}.`
  return `${needs}; ${linked} of these ${linked === 1 ? 'is' : 'are'} connected: ask bft_status of their nodes why they do not vote.`
}

/** A proposal that would be in turn if validators were sorted in the other order. */
function otherOrder({ snapshot, proposerOrder }: Evidence): string | undefined {
  const { parent, validators } = snapshot.context
  if (!validators.includes(parent.coinbase)) return undefined
  const other = proposerOrder === 'BYTES' ? 'CHECKSUM' : 'BYTES'
  const isTurn = (order: ProposerOrder, author: Address, round: number) =>
    PROPOSER_BY[order](parent.coinbase, validators, round) === author
  const refused = latestRefusal(
    snapshot,
    ({ what, author, round }) =>
      what === 'proposal' && !isTurn(proposerOrder, author, round) && isTurn(other, author, round),
  )
  if (refused === undefined) return undefined
  const why =
    other === 'CHECKSUM'
      ? 'GoQuorum sorts them so after a restart; while it has validators here, start every Cairn node with --bft-proposer-order=CHECKSUM'
      : 'Besu and Cairn sort them so by default; without GoQuorum validators, start every Cairn node with --bft-proposer-order=BYTES'
  return `${refused.author} proposed in round ${refused.round}. It is its turn if addresses are sorted by ${ORDER_WORDS[other]}, and this node sorts them by ${ORDER_WORDS[proposerOrder]}. ${why}.`
}

const ORDER_WORDS: Readonly<Record<ProposerOrder, string>> = {
  BYTES: 'their bytes',
  CHECKSUM: 'their texts with checksums',
}

function proposalRefused({ snapshot }: Evidence): string | undefined {
  const refused = latestRefusal(snapshot, ({ what }) => what === 'proposal')
  if (refused === undefined) return undefined
  return `The proposal of ${refused.author} for round ${refused.round} was refused: ${refused.sentence}`
}

function roundsGoOn({ snapshot }: Evidence): string | undefined {
  const { round, proposer, stage, context } = snapshot
  if (round < 1) return undefined
  if (stage === 'waitingForProposal') {
    return `Block ${context.height} is in round ${round} and waits for the proposal of ${proposer}, or for a quorum in that round.`
  }
  return undefined
}

function inStage({ snapshot }: Evidence): string {
  const { stage, context, round, proposer, preparesNeeded, quorum } = snapshot
  const block = `Block ${context.height}${round > 0 ? `, round ${round},` : ''}`
  switch (stage) {
    case 'waitingForTime':
      return `${block} is not due yet.`
    case 'building':
      return `${block} is being built by this node.`
    case 'waitingForProposal':
      return `${block} waits for the proposal of ${proposer}.`
    case 'validating':
      return `${block} was proposed, and this node executes it.`
    case 'refused':
      return `${block} was proposed, and this node could not accept it; it waits for the next round.`
    case 'waitingForPrepares':
      return `${block} has ${count(snapshot, 'hasPrepared')} of ${preparesNeeded} prepares.`
    case 'waitingForCommits':
      return `${block} has ${count(snapshot, 'hasCommitted')} of ${quorum} commits.`
    case 'importing':
      return `${block} is decided, and this node imports it.`
  }
}

function heard({ validators, context }: CoreSnapshot): number {
  return validators.filter(({ isSelf, lastHeard }) => isSelf || lastHeard?.height === context.height).length
}

/** Who, and since when. */
function silences(validators: readonly ValidatorSnapshot[], wallMs: number): string {
  const told = validators.slice(0, MAX_TOLD).map(({ address, lastHeard }) => {
    if (lastHeard === undefined) return `${address} (not heard since the start)`
    return `${address} (last heard ${Math.max(0, Math.round((wallMs - lastHeard.wallMs) / 1_000))} s ago)`
  })
  const others = validators.length - told.length
  return [...told, ...(others > 0 ? [`${others} others`] : [])].join(', ')
}

/**
 * A validator speaks in every block, and again in every round that comes to nothing. One that spoke in the first round and
 * then no more has gone.
 */
function isHeard(
  { lastHeard }: ValidatorSnapshot,
  { context, round }: CoreSnapshot,
  wallMs: number,
): boolean {
  if (lastHeard === undefined) return false
  const { period, emptyBlockPeriodSeconds, requestTimeoutMs } = context
  const agoMs = wallMs - lastHeard.wallMs
  if (round < 1) {
    const periodMs = 'seconds' in period ? period.seconds * 1_000 : period.milliseconds
    return agoMs <= Math.max(periodMs, emptyBlockPeriodSeconds * 1_000) + 2 * requestTimeoutMs
  }
  if (lastHeard.height !== context.height) return false
  return lastHeard.round >= round || agoMs <= 2 ** (Math.min(round, MAX_DOUBLINGS) - 1) * requestTimeoutMs
}

function latestRefusal(
  { refusals, context, round }: CoreSnapshot,
  isWanted: (refusal: CoreSnapshot['refusals'][number]) => boolean,
) {
  return refusals.findLast(
    (refusal) => refusal.height === context.height && refusal.round >= round - 1 && isWanted(refusal),
  )
}

function count({ validators }: CoreSnapshot, vote: 'hasPrepared' | 'hasCommitted'): number {
  return validators.filter((validator) => validator[vote]).length
}

function nameOf(generation: WireGeneration): string {
  return generation === 'legacy' ? 'old (up to 25.12)' : 'new (from 26.1)'
}

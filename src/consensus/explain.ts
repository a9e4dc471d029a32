/**
 * Explains in one sentence why the chain does not move: the causes seen in practice, the most certain first. Each is a function
 * of the evidence, and the first match is reported.
 */
import type { Address } from '#types/address.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import { periodMsOf } from './bft/core/block-time.ts'
import type { CoreState, ValidatorState } from './bft/core/core-state.ts'
import type { WireGeneration } from './bft/messages.ts'
import { PROPOSER_BY } from './bft/proposer.ts'
import type { TurnedAway } from './driver-parts.ts'

export interface Evidence {
  readonly coreState: CoreState
  /** Connected validators. */
  readonly connected: ReadonlySet<Address>
  /** Peers that exchange blocks with this node. */
  readonly exchanging: ReadonlySet<Address>
  /** Nodes of other networks met recently. */
  readonly turnedAway: readonly TurnedAway[]
  /** How far this machine's clock is ahead of the last blocks of others. */
  readonly clockAheadMs: number
  /** The generation that this node sends. */
  readonly generation: WireGeneration
  readonly proposerOrder: ProposerOrder
  readonly wallMs: number
  readonly lastPersistMs: number
  readonly undecodedMessages: number
  /** The last failure of this node, until it succeeds. */
  readonly failure: WorkFailure | undefined
  /** Why blocks of peers cannot be written, until one is. */
  readonly importProblem: string | undefined
}

export interface WorkFailure {
  readonly what: 'build' | 'validate' | 'persist' | 'sign' | 'import'
  readonly height: number
  readonly sentence: string
}

/** A slower write of the signature log uses up the round. */
const SLOW_PERSIST_MS = 1_000
/** Blocks have whole seconds and take a while. */
const AHEAD_MS = 4_000
const REFUSED_LATELY_MS = 30_000
/** Maximum silent validators named. */
const MAX_TOLD = 8
const MAX_DOUBLINGS = 6
/** A parent further ahead of this clock is not a rounding matter. */
const SKEW_MS = 2_000

/** The troubleshooting page lists the explanations with a remedy. */
interface Explanation {
  readonly problem: string
  readonly remedy?: string
}

type Cause = (evidence: Evidence) => Explanation | undefined

const CAUSES: readonly Cause[] = [
  noValidators,
  importFails,
  notInSet,
  signedAhead,
  workFailed,
  parentAhead,
  clockAhead,
  duplicateKey,
  waitsAsRestored,
  waitsForEntry,
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
    const found = cause(evidence)
    if (found !== undefined) return found.remedy ? `${found.problem} ${found.remedy}` : found.problem
  }
  return 'Nothing is known to be wrong.'
}

function noValidators({ coreState: { validators } }: Evidence): Explanation | undefined {
  if (validators.length > 0) return undefined
  return {
    problem: 'The network has no validators.',
    remedy: 'Name them in the extra data of the genesis file.',
  }
}

/** Checked before notInSet: a follower that cannot import does not even follow. */
function importFails({ importProblem }: Evidence): Explanation | undefined {
  if (importProblem === undefined) return undefined
  return {
    problem: `This node cannot import the blocks of its peers: ${importProblem}`,
    remedy: 'It retries by itself once that is fixed.',
  }
}

function notInSet({ coreState: { isValidator, context } }: Evidence): Explanation | undefined {
  if (isValidator) return undefined
  return {
    problem: `The key of this node is not among the ${context.validators.length} validators of block ${context.height}: it follows the chain and signs nothing.`,
    remedy:
      'If it should be a validator, compare its address with the extra data of the genesis file, or vote it in.',
  }
}

function signedAhead({ coreState: { context, signed } }: Evidence): Explanation | undefined {
  if (signed === undefined || signed.height <= context.height) return undefined
  return {
    problem: `This validator signed block ${signed.height}, but its chain ends at block ${context.height - 1}: it was rewound or restored, and signs nothing below that block.`,
    remedy:
      'Get the missing blocks from the other validators or with cairn blocks import. Only if all validators were rewound, delete their votes files and start them with --bft-sign-without-votes.',
  }
}

const UNABLE: Readonly<Record<WorkFailure['what'], string>> = {
  build: 'build a block',
  validate: 'execute the proposed block',
  persist: 'store its signatures, so it does not sign',
  sign: 'sign',
  import: 'import the decided block and retries',
}

function workFailed({ coreState: { context }, failure }: Evidence): Explanation | undefined {
  if (failure === undefined) return undefined
  // A signature may take longer than a block: the others go on, and the next signature fails as well.
  if (failure.height !== context.height && failure.what !== 'sign') return undefined
  return {
    problem: `This node cannot ${UNABLE[failure.what]}: ${failure.sentence}`,
    remedy: 'It continues by itself once that is fixed.',
  }
}

const SYNC_CLOCKS = 'Synchronise the clocks of all validators with NTP.'

function parentAhead({ coreState: { context }, wallMs }: Evidence): Explanation | undefined {
  const aheadMs = context.parent.timestampSeconds * 1_000 - wallMs
  if (aheadMs <= SKEW_MS) return undefined
  return {
    problem: `The last block is ${Math.round(aheadMs / 1_000)} s ahead of this machine's clock, and the next block waits for it.`,
    remedy: SYNC_CLOCKS,
  }
}

function waitsAsRestored({ coreState }: Evidence): Explanation | undefined {
  if (!coreState.waitsAsRestored) return undefined
  return {
    problem:
      'The data directory of this validator was restored from a backup, and its key may have signed more since: it signs nothing until the other validators have produced a block.',
    remedy:
      'Wait for that block. If the others cannot produce one without it, and the node that had this key before is gone for good, start it once with --bft-sign-without-votes.',
  }
}

function waitsForEntry({ coreState: { context, signsFrom } }: Evidence): Explanation | undefined {
  if (context.height >= signsFrom) return undefined
  return {
    problem: `The votes file of this validator is missing or older than the chain: it signs nothing until the others have produced a block, and not before block ${signsFrom}.`,
    remedy:
      'Wait for that block. If every validator was restored like this, start them with --bft-sign-without-votes.',
  }
}

function duplicateKey({ coreState }: Evidence): Explanation | undefined {
  const self = coreState.validators.find(({ isSelf }) => isSelf)?.address
  const isCurrent = coreState.refusals.some(
    ({ author, height }) => author === self && height === coreState.context.height,
  )
  if (!isCurrent) return undefined
  return {
    problem:
      'Messages signed with the key of this node arrive that it did not sign: another node has the key, or the votes file was lost. It signs nothing for this block.',
    remedy: 'Stop the other node that has this key.',
  }
}

/** Messages with keys that are not validators, while validators are silent. */
function strangers({ coreState }: Evidence): Explanation | undefined {
  const { context, refusals } = coreState
  const authors = new Set(
    refusals
      .filter(({ author, height }) => height === context.height && !context.validators.includes(author))
      .map(({ author }) => author),
  )
  if (authors.size === 0 || heard(coreState) >= coreState.quorum) return undefined
  const [first] = authors
  return {
    problem: `${authors.size} node${authors.size === 1 ? '' : 's'}, ${first} among them, sign with keys outside the validator set.`,
    remedy:
      'Give these nodes the keys of the validators in the genesis file, or a genesis file with their addresses.',
  }
}

/** Also considers earlier blocks: a wrong clock stays wrong and costs a round in each turn of its validator. */
function timeRefused({ coreState, wallMs }: Evidence): Explanation | undefined {
  const refused = coreState.refusals.findLast(
    ({ what, sentence, wallMs: atMs }) =>
      what === 'proposal' && /time|clock/i.test(sentence) && Math.abs(wallMs - atMs) < REFUSED_LATELY_MS,
  )
  if (refused === undefined) return undefined
  return {
    problem: `The proposal of ${refused.author} for block ${refused.height} was refused for its time: ${refused.sentence}`,
    remedy: SYNC_CLOCKS,
  }
}

/** Checked before waitsForEntry: by a fast clock, no block was made since the start. */
function clockAhead({ clockAheadMs }: Evidence): Explanation | undefined {
  if (clockAheadMs < AHEAD_MS) return undefined
  return {
    problem: `The last blocks of other validators came ${Math.round(clockAheadMs / 1_000)} s after their timestamps: the clock of this machine is ahead, so they refuse its proposals, or blocks reach it late.`,
    remedy: SYNC_CLOCKS,
  }
}

function slowDisk({ coreState, lastPersistMs }: Evidence): Explanation | undefined {
  if (lastPersistMs < SLOW_PERSIST_MS) return undefined
  return {
    problem: `The last signature took ${Math.round(lastPersistMs)} ms to reach the disk, too long for a round of ${coreState.context.requestTimeoutMs} ms.`,
    remedy: 'Put the data directory on a faster disk.',
  }
}

function otherGeneration({ coreState, generation, undecodedMessages }: Evidence): Explanation | undefined {
  if (coreState.round < 1) return undefined
  const others = coreState.validators.filter(
    ({ lastHeard, isSelf }) => !isSelf && lastHeard?.generation !== undefined,
  )
  const isOther = others.filter(({ lastHeard }) => lastHeard?.generation !== generation)
  const asLegacy = generation === 'legacy' ? 'false' : 'true'
  if (isOther.length > 0 && isOther.length === others.length) {
    return {
      problem: `This node sends messages in the ${nameOf(generation)} encoding, every other validator in the other one, and nodes up to 25.12 cannot read both.`,
      remedy: `Start it with --Xbft-legacy-protocol-encoding=${asLegacy}.`,
    }
  }
  if (others.length > 0 || undecodedMessages === 0 || heard(coreState) >= coreState.quorum) return undefined
  return {
    problem: `${undecodedMessages} messages from other validators could not be read.`,
    remedy: 'Check which versions they run.',
  }
}

/** Messages are relayed, so a validator that is heard counts as reached even if it is not a peer. */
function tooFewPeers({ coreState, connected, wallMs, ...others }: Evidence): Explanation | undefined {
  const { quorum, validators } = coreState
  const unreached = validators.filter(
    (each) => !each.isSelf && !connected.has(each.address) && !isHeard(each, coreState, wallMs),
  )
  const reachable = validators.length - unreached.length
  if (reachable >= quorum) return undefined
  const differences = [apart(others.turnedAway), speechless(unreached, others.exchanging)]
  const known = differences.filter((each) => each !== undefined)
  return {
    problem: `${quorum} of ${validators.length} validators are needed, and this node reaches ${reachable} including itself. Silent: ${silences(unreached, wallMs)}.`,
    remedy: known.length > 0 ? known.join(' ') : 'Check that they run and that their ports are reachable.',
  }
}

const REMEDIES: Readonly<Record<TurnedAway['why'], string>> = {
  'network id': 'give all nodes the same --network-id, or none.',
  'genesis block': 'give all nodes the same genesis file.',
  forks: 'give all nodes a genesis file with the same forks.',
}

function apart(turnedAway: readonly TurnedAway[]): string | undefined {
  const last = turnedAway.at(-1)
  if (last === undefined) return undefined
  const { why, address } = last
  const count = turnedAway.filter((each) => each.why === why).length
  return `${count} node${count === 1 ? '' : 's'}, ${address} among them, ${count === 1 ? 'was' : 'were'} turned away for a different ${why}: ${REMEDIES[why]}`
}

/** A peer that would be connected if it spoke our protocol. */
function speechless(unreached: readonly ValidatorState[], exchanging: ReadonlySet<Address>) {
  const found = unreached.find(({ address }) => exchanging.has(address))
  if (found === undefined) return undefined
  return `${found.address} is a peer but shares no consensus protocol with this node (istanbul/100 for QBFT, IBF/1 for IBFT 2.0): compare the consensus sections of the genesis files.`
}

function tooFewSpeak({ coreState, connected, wallMs }: Evidence): Explanation | undefined {
  const { quorum, validators, context, round } = coreState
  const silent = validators.filter((each) => !each.isSelf && !isHeard(each, coreState, wallMs))
  const speaking = validators.length - silent.length
  if (round < 1 || speaking >= quorum) return undefined
  const linked = silent.filter(({ address }) => connected.has(address)).length
  return {
    problem: `${quorum} of ${validators.length} validators are needed, and ${speaking} took part in block ${context.height}. Silent: ${silences(silent, wallMs)}.`,
    remedy:
      linked === 0
        ? 'Start them, or restore the network between them.'
        : `${linked} of these ${linked === 1 ? 'is' : 'are'} connected: call bft_status on their nodes to see why they do not vote.`,
  }
}

/** A proposal that would be in turn if validators were sorted in the other order. */
function otherOrder({ coreState, proposerOrder }: Evidence): Explanation | undefined {
  const { parent, validators } = coreState.context
  if (!validators.includes(parent.coinbase)) return undefined
  const other = proposerOrder === 'BYTES' ? 'CHECKSUM' : 'BYTES'
  const isTurn = (order: ProposerOrder, author: Address, round: number) =>
    PROPOSER_BY[order](parent.coinbase, validators, round) === author
  const refused = latestRefusal(
    coreState,
    ({ what, author, round }) =>
      what === 'proposal' && !isTurn(proposerOrder, author, round) && isTurn(other, author, round),
  )
  if (refused === undefined) return undefined
  return {
    problem: `${refused.author} proposed in round ${refused.round}. It is its turn if addresses are sorted by ${ORDER_WORDS[other]}, but this node sorts them by ${ORDER_WORDS[proposerOrder]}.`,
    remedy:
      other === 'CHECKSUM'
        ? 'GoQuorum sorts by checksum after a restart: as long as it has validators here, start every Cairn node with --bft-proposer-order=CHECKSUM.'
        : 'Besu and Cairn sort by bytes: without GoQuorum validators, start every Cairn node with --bft-proposer-order=BYTES.',
  }
}

const ORDER_WORDS: Readonly<Record<ProposerOrder, string>> = {
  BYTES: 'their bytes',
  CHECKSUM: 'their checksum texts',
}

function proposalRefused({ coreState }: Evidence): Explanation | undefined {
  const refused = latestRefusal(coreState, ({ what }) => what === 'proposal')
  if (refused === undefined) return undefined
  return {
    problem: `The proposal of ${refused.author} for round ${refused.round} was refused: ${refused.sentence}`,
    remedy: 'Compare version, genesis file and plugins of the proposer and of this node.',
  }
}

function roundsGoOn({ coreState }: Evidence): Explanation | undefined {
  const { round, proposer, stage, context } = coreState
  if (round < 1) return undefined
  if (stage === 'waitingForProposal') {
    return {
      problem: `Block ${context.height} is in round ${round} and waits for the proposal of ${proposer}, or for a quorum in that round.`,
      remedy: 'Check that the node of this proposer runs and is connected.',
    }
  }
  return undefined
}

function inStage({ coreState }: Evidence): Explanation {
  const { stage, context, round, proposer, preparesNeeded, quorum } = coreState
  const block = `Block ${context.height}${round > 0 ? `, round ${round},` : ''}`
  switch (stage) {
    case 'waitingForTime':
      return { problem: `${block} is not due yet.` }
    case 'building':
      return { problem: `${block} is being built by this node.` }
    case 'waitingForProposal':
      return { problem: `${block} waits for the proposal of ${proposer}.` }
    case 'validating':
      return { problem: `${block} is proposed, and this node executes it.` }
    case 'refused':
      return { problem: `${block} was proposed and refused by this node, which waits for the next round.` }
    case 'waitingForPrepares':
      return { problem: `${block} has ${count(coreState, 'hasPrepared')} of ${preparesNeeded} prepares.` }
    case 'waitingForCommits':
      return { problem: `${block} has ${count(coreState, 'hasCommitted')} of ${quorum} commits.` }
    case 'importing':
      return { problem: `${block} is decided, and this node imports it.` }
  }
}

function heard({ validators, context }: CoreState): number {
  return validators.filter(({ isSelf, lastHeard }) => isSelf || lastHeard?.height === context.height).length
}

/** Names the validators and when they were last heard. */
function silences(validators: readonly ValidatorState[], wallMs: number): string {
  const told = validators.slice(0, MAX_TOLD).map(({ address, lastHeard }) => {
    if (lastHeard === undefined) return `${address} (not heard since the start)`
    return `${address} (last heard ${Math.max(0, Math.round((wallMs - lastHeard.wallMs) / 1_000))} s ago)`
  })
  const others = validators.length - told.length
  return [...told, ...(others > 0 ? [`${others} others`] : [])].join(', ')
}

/** A validator sends messages in every block and every failed round; one heard only in the first round is gone. */
function isHeard({ lastHeard }: ValidatorState, { context, round }: CoreState, wallMs: number): boolean {
  if (lastHeard === undefined) return false
  const { period, emptyBlockPeriodSeconds, requestTimeoutMs } = context
  const agoMs = wallMs - lastHeard.wallMs
  if (round < 1) {
    return agoMs <= Math.max(periodMsOf(period), emptyBlockPeriodSeconds * 1_000) + 2 * requestTimeoutMs
  }
  if (lastHeard.height !== context.height) return false
  return lastHeard.round >= round || agoMs <= 2 ** (Math.min(round, MAX_DOUBLINGS) - 1) * requestTimeoutMs
}

function latestRefusal(
  { refusals, context, round }: CoreState,
  isWanted: (refusal: CoreState['refusals'][number]) => boolean,
) {
  return refusals.findLast(
    (refusal) => refusal.height === context.height && refusal.round >= round - 1 && isWanted(refusal),
  )
}

function count({ validators }: CoreState, phase: 'hasPrepared' | 'hasCommitted'): number {
  return validators.filter((validator) => validator[phase]).length
}

function nameOf(generation: WireGeneration): string {
  return generation === 'legacy' ? 'old (up to 25.12)' : 'new (from 26.1)'
}

import type { Plants } from './plant.ts'

const CERTIFICATES = 'src/consensus/bft/certificate-problems.ts'
const JUSTIFICATION_TEST = 'src/consensus/bft/justification.test.ts'
const HEADER = 'src/consensus/bft/refuse-header.ts'
const HEADER_TEST = 'src/consensus/create-header-rules.test.ts'
const TALLY = 'src/consensus/validators/vote-tally.ts'
const TALLY_TEST = 'src/consensus/validators/vote-tally.test.ts'
const FUTURE = 'src/consensus/bft/core/future-messages.ts'
const BOUNDS_TEST = 'src/consensus/bft/core/bounds.test.ts'
const CODEC_TEST = 'src/consensus/bft/wire/codec.test.ts'
const BASE = 'src/consensus/bft/base-rules.ts'
const SIMULATE = 'simulate --seed 1 --heights 1500'

export const CONSENSUS_PLANTS: Plants = {
  'bft-quorum-too-small': {
    mistake: 'half of the validators decide',
    file: 'src/consensus/bft/quorum.ts',
    from: 'return Math.ceil((2 * validators) / 3)',
    to: 'return Math.floor((2 * validators) / 3)',
    caughtBy: 'src/consensus/bft/quorum.test.ts',
  },
  'bft-too-many-faults': {
    mistake: 'a third of the validators is thought to be tolerable',
    file: 'src/consensus/bft/quorum.ts',
    from: 'return Math.floor((validators - 1) / 3)',
    to: 'return Math.floor(validators / 3)',
    caughtBy: 'src/consensus/bft/quorum.test.ts',
  },
  'bft-turn-skipped': {
    mistake: 'the author of the block before proposes again',
    file: 'src/consensus/bft/proposer.ts',
    from: ': last + 1',
    to: ': last',
    caughtBy: 'src/consensus/bft/proposer.test.ts',
  },
  'bft-strangers-count': {
    mistake: 'the vote of a stranger counts in a certificate',
    file: CERTIFICATES,
    from: 'if (!validators.includes(author)) return',
    to: 'if (validators.length === 0) return',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-author-counts-twice': {
    mistake: 'one validator fills a certificate',
    file: CERTIFICATES,
    from: 'if (seen.has(author)) return',
    to: 'if (seen.size < 0) return',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-anyone-proposes': {
    mistake: 'a validator proposes out of its turn',
    file: CERTIFICATES,
    from: 'if (author !== proposer) return',
    to: 'if (author === undefined) return',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-too-few-round-changes': {
    mistake: 'a proposal above round 0 needs no quorum of round changes',
    file: CERTIFICATES,
    from: 'if (length < context.quorum) return',
    to: 'if (length < 0) return',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-round-changes-of-other-rounds': {
    mistake: 'round changes to other rounds justify a proposal',
    file: CERTIFICATES,
    from: 'if (payload.round !== round) return',
    to: 'if (payload.round < 0) return',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-too-few-prepares': {
    mistake: 'a claim to be prepared needs no prepares',
    file: CERTIFICATES,
    from: 'if (prepares.length < preparesNeeded) {',
    to: 'if (prepares.length < 0) {',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-prepares-of-other-rounds': {
    mistake: 'prepares of another round prove a claim',
    file: CERTIFICATES,
    from: 'payload.height === height && payload.round === prepared.round && payload.digest',
    to: 'payload.height === height && payload.digest',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-prepared-in-the-future': {
    mistake: 'a round change claims to be prepared in a round that is still to come',
    file: CERTIFICATES,
    from: 'if (prepared === undefined || prepared.round < round) return undefined',
    to: 'if (prepared === undefined || prepared.round <= round) return undefined',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-oldest-claim-wins': {
    mistake: 'the block that was prepared first is proposed again, and not the last',
    file: CERTIFICATES,
    from: 'payload.prepared.round > latest.round',
    to: 'payload.prepared.round < latest.round',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-conflicting-claims': {
    mistake: 'two blocks are claimed to be prepared in one round',
    file: 'src/consensus/qbft/justification.ts',
    from: 'roundChangePayloadProblem(payload, context) ?? conflictProblem(payload, digests)',
    to: 'roundChangePayloadProblem(payload, context)',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-foreign-block-proposed': {
    mistake: 'a proposer proposes a block that names another author',
    file: 'src/consensus/qbft/justification.ts',
    from: 'if (block.header.coinbase === signed.author) return undefined',
    to: 'if (block.header.coinbase.length === signed.author.length) return undefined',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-proposer-prepares-twice': {
    mistake: 'the proposal of IBFT 2.0 and a prepare of its author both count',
    file: 'src/consensus/ibft2/justification.ts',
    from: 'if (proof.prepares.some(({ author }) => author === proposer)) {',
    to: 'if (proof.prepares.length === 0) {',
    caughtBy: JUSTIFICATION_TEST,
  },
  'bft-seals-of-strangers': {
    mistake: 'a block is sealed by strangers',
    file: HEADER,
    from: 'if (stranger !== undefined) return',
    to: 'if (stranger === null) return',
    caughtBy: HEADER_TEST,
  },
  'bft-seal-counts-twice': {
    mistake: 'one validator seals a block alone',
    file: HEADER,
    from: "return new Set(signers).size === signers.length ? undefined : 'Two seals are of one validator.'",
    to: 'return undefined',
    caughtBy: HEADER_TEST,
  },
  'bft-too-few-seals': {
    mistake: 'a block without a quorum of seals is imported',
    file: HEADER,
    from: 'if (seals.length < needed) return',
    to: 'if (seals.length < 0) return',
    caughtBy: HEADER_TEST,
  },
  'bft-header-of-a-stranger': {
    mistake: 'a block of someone who is no validator is accepted',
    file: HEADER,
    from: 'if (validators.includes(header.coinbase)) return undefined',
    to: 'if (validators.length > 0) return undefined',
    caughtBy: HEADER_TEST,
  },
  'bft-header-lists-others': {
    mistake: 'a header lists other validators than those in force',
    file: HEADER,
    from: 'listed.length !== validators.length || listed.some((one, index) => one !== validators[index])',
    to: 'listed.length !== validators.length',
    caughtBy: HEADER_TEST,
  },
  'bft-header-from-the-future': {
    mistake: 'a proposer may set the clock of the chain far ahead',
    file: HEADER,
    from: 'const MAX_AHEAD_SECONDS = 1\n',
    to: 'const MAX_AHEAD_SECONDS = 1_000\n',
    caughtBy: HEADER_TEST,
  },
  'bft-header-too-early': {
    mistake: 'blocks may follow faster than the period',
    file: HEADER,
    from: 'if (apart === 0 || header.timestamp >= earliest) return undefined',
    to: 'if (apart === 0 || header.timestamp >= parent.timestamp) return undefined',
    caughtBy: HEADER_TEST,
  },
  'bft-half-decides-votes': {
    mistake: 'exactly half of the validators vote one in',
    file: TALLY,
    from: 'Math.floor(validators.length / 2) + 1',
    to: 'Math.ceil(validators.length / 2)',
    caughtBy: TALLY_TEST,
  },
  'bft-dropped-validator-votes-on': {
    mistake: 'the votes of a validator that was voted out still count',
    file: TALLY,
    from: 'return { validators: rest, votes: withoutVoter(votes, recipient) }',
    to: 'return { validators: rest, votes }',
    caughtBy: TALLY_TEST,
  },
  'bft-future-distance': {
    mistake: 'messages of any height are kept',
    file: FUTURE,
    from: '    if (heightOf(event) > height + this.#limits.maxDistance) return 1\n',
    to: '',
    caughtBy: BOUNDS_TEST,
  },
  'bft-future-bytes': {
    mistake: 'messages of later heights may take any amount of memory',
    file: FUTURE,
    from: 'this.#kept.length > this.#limits.maxMessages || this.#bytes > this.#limits.maxBytes',
    to: 'this.#kept.length > this.#limits.maxMessages',
    caughtBy: 'src/consensus/bft/core/future-messages.test.ts',
  },
  'bft-votes-far-ahead': {
    mistake: 'votes of any round are kept',
    file: 'src/consensus/bft/core/round-votes.ts',
    from: "    if (round > currentRound + MAX_ROUNDS_AHEAD) return 'tooFarAhead'\n",
    to: '',
    caughtBy: BOUNDS_TEST,
  },
  'bft-high-s-accepted': {
    mistake: 'a signature can be changed into a second valid one',
    file: 'src/consensus/bft/wire/signed-payloads.ts',
    from: "    if (!isLowS(bytesToBigint(signed.subarray(32, 64)))) throw invalid('A signature has a high s.')\n",
    to: '',
    caughtBy: CODEC_TEST,
  },
  'bft-message-size': {
    mistake: 'a message of any size is decoded',
    file: 'src/consensus/bft/wire/read-items.ts',
    from: 'if (data.length > MAX_MESSAGE_BYTES) throw',
    to: 'if (data.length < 0) throw',
    caughtBy: CODEC_TEST,
  },
  'bft-timer-not-doubled': {
    mistake: 'rounds never get longer, so that slow networks never agree',
    file: BASE,
    from: 'requestTimeoutMs * 2 ** Math.min(round, MAX_DOUBLINGS)',
    to: 'requestTimeoutMs * 1 ** Math.min(round, MAX_DOUBLINGS)',
    caughtBy: 'src/consensus/bft/core/machine.test.ts',
  },
  'bft-follows-one-liar': {
    mistake: 'one validator alone moves the others to a higher round',
    file: BASE,
    from: 'toSorted((a, b) => b - a)[toleratedFaults(validators)]',
    to: 'toSorted((a, b) => b - a)[0]',
    caughtBy: SIMULATE,
  },
  'bft-older-certificate-kept': {
    mistake: 'a validator shows an older certificate than its last',
    file: BASE,
    from: 'kept === undefined || found.round >= kept.round ? found : kept',
    to: 'kept ?? found',
    caughtBy: SIMULATE,
  },
}

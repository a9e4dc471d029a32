/** The rules that QBFT and IBFT 2.0 share. */
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { quorumOf, toleratedFaults } from '#types/block/bft-quorum.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'
import type { CommitPayload } from './messages.ts'
import { PROPOSER_BY } from './proposer.ts'
import { recordSignature } from './record-signature.ts'
import type { BftRules } from './rules.ts'
import { isSameBlock, withRound } from './wire/proposed-block.ts'

type BaseRules = Omit<
  BftRules,
  | 'preparesNeeded'
  | 'proposerPrepares'
  | 'proposalCoversBody'
  | 'roundZero'
  | 'proposalProblem'
  | 'roundChangeProblem'
  | 'prepareOrCommitProblem'
  | 'forms'
  | 'sentForm'
>

export interface BaseRuleOptions {
  /** Maximum round timeout. Besu doubles without a limit, and users waited for hours. */
  readonly maxRoundTimeoutMs: number
  /** BYTES by default. IBFT 2.0 has no other order, because GoQuorum does not speak it. */
  readonly proposerOrder?: ProposerOrder
  readonly keccak?: Keccak
  readonly recover?: Recover
}

/** More doublings exceed any meaningful number of milliseconds. */
const MAX_DOUBLINGS = 40

export function createBaseRules(protocol: BftProtocol, options: BaseRuleOptions): BaseRules {
  const { maxRoundTimeoutMs, keccak = keccak256, recover = recoverPublicKey } = options
  const proposerOrder = protocol === 'qbft' ? (options.proposerOrder ?? 'BYTES') : 'BYTES'
  return {
    protocol,
    quorum: quorumOf,
    proposerOrder,
    proposer: ({ parent, validators }, round) =>
      PROPOSER_BY[proposerOrder](parent.coinbase, validators, round),
    withRound: (block, round) => withRound(protocol, block, round, keccak),
    sealAuthor: (commit, sealed) => sealAuthor(commit, sealed, keccak, recover),
    isSameBlock,
    isProven: (isBlockValid) => isBlockValid,
    isMember: (author, validators) => validators.includes(author),
    roundTimeoutMs: (requestTimeoutMs, round) =>
      // A first round longer than the ceiling keeps its length.
      Math.min(
        requestTimeoutMs * 2 ** Math.min(round, MAX_DOUBLINGS),
        Math.max(maxRoundTimeoutMs, requestTimeoutMs),
      ),
    collect: (messages, message) =>
      messages.some(({ author }) => author === message.author) ? messages : [...messages, message],
    bestPrepared: (roundChanges) => {
      const prepared = roundChanges.filter(({ signed }) => signed.payload.prepared !== undefined)
      return prepared.toSorted((a, b) => preparedRound(b) - preparedRound(a))[0]
    },
    laterCertificate: (kept, found) => (kept === undefined || found.round >= kept.round ? found : kept),
    roundOfOthers: (roundChanges, round, validators) => {
      const highest = new Map<string, number>()
      for (const { author, payload } of roundChanges) {
        if (payload.round > round) highest.set(author, Math.max(payload.round, highest.get(author) ?? 0))
      }
      // Among this many validators one is honest, and it has reached the lowest of their rounds.
      return [...highest.values()].toSorted((a, b) => b - a)[toleratedFaults(validators)]
    },
    recordSignature,
    isAnswer: (answer, request) =>
      answer.id === request.id && answer.height === request.height && answer.round === request.round,
  }
}

function preparedRound({
  signed,
}: {
  signed: { payload: { prepared: { round: number } | undefined } }
}): number {
  return signed.payload.prepared?.round ?? -1
}

/** Most seals sign the digest, and the decoder has recovered their author. */
function sealAuthor(
  { digest, seal, sealAuthor }: CommitPayload,
  sealed: Hash,
  keccak: Keccak,
  recover: Recover,
): Address | undefined {
  if (sealed === digest) return sealAuthor
  try {
    return addressFromPublicKey(recover(hashToBytes(sealed), seal), keccak)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

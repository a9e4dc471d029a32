/** Valid messages of four validators about block 5; tests and fuzzers break them. */

import { createIbft2Rules, ibft2ProposalProblem, ibft2RoundChangeProblem } from '#consensus/ibft2/rules.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { type TestValidator, testValidators } from '#consensus/network.fixture.ts'
import { createQbftRules, qbftProposalProblem, qbftRoundChangeProblem } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import type { Address } from '#types/address.ts'
import { type BftProtocol, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { encodeBlock } from '#types/block/block.ts'
import { recoverPublicKey, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import type {
  BftMessage,
  CommitPayload,
  Draft,
  MessageCodec,
  Payload,
  PreparedCertificate,
  PreparePayload,
  ProposalMessage,
  ProposalPayload,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
  WireGeneration,
} from './messages.ts'
import { proposerOf } from './proposer.ts'
import type { RuleContext } from './rules.ts'
import { decodeProposedBlock, withRound } from './wire/proposed-block.ts'
import type { WireCrypto } from './wire/signed-payloads.ts'

export const SAMPLE_HEIGHT = 5
const PARENT_COINBASE = `0x${'00'.repeat(20)}` as Address

export class MessageBench {
  readonly codec: MessageCodec
  readonly validators: readonly TestValidator[]
  readonly context: RuleContext
  #samples: Promise<readonly BftMessage[]> | undefined

  constructor(
    protocol: BftProtocol,
    generation: WireGeneration,
    crypto: WireCrypto = { keccak: keccak256, recover: recoverPublicKey },
  ) {
    const createCodec = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
    this.codec = createCodec(crypto, generation)
    this.validators = testValidators(4)
    const addresses = this.validators.map(({ address }) => address)
    const quorum = quorumOf(addresses.length)
    const rules = (protocol === 'qbft' ? createQbftRules : createIbft2Rules)({ maxRoundTimeoutMs: 60_000 })
    this.context = {
      height: SAMPLE_HEIGHT,
      validators: addresses,
      quorum,
      preparesNeeded: protocol === 'qbft' ? quorum : quorum - 1,
      proposerOf: (round) => proposerOf(PARENT_COINBASE, addresses, round),
      forms: rules.forms,
      sealAuthor: rules.sealAuthor,
    }
  }

  withRound(block: ProposedBlock, round: number): ProposedBlock {
    return withRound(this.codec.protocol, block, round, keccak256)
  }

  proposer(round: number): TestValidator {
    return this.validators[round % this.validators.length]!
  }

  block(author: TestValidator, round: number, number = SAMPLE_HEIGHT): ProposedBlock {
    const { protocol } = this.codec
    const validators = this.context.validators
    const content = { vanity: new Uint8Array(32), validators, vote: null, round, seals: [] }
    const extraData = encodeBftExtraData(protocol, content)
    const header = { ...PLAIN_HEADER, number: BigInt(number), coinbase: author.address, extraData }
    const encoded = encodeBlock({ header, transactions: [], ommers: [], withdrawals: undefined })
    return decodeProposedBlock(protocol, encoded, undefined, keccak256)
  }

  sign(author: TestValidator, draft: Draft): Promise<Signed<Payload>> {
    return this.codec.sign(draft, author.address, async (digest) => sign(author.key, digest))
  }

  async prepares(block: ProposedBlock, round: number): Promise<Signed<PreparePayload>[]> {
    const authors = this.validators.filter(
      (one) => this.codec.protocol === 'qbft' || one !== this.proposer(round),
    )
    const draft = { kind: 'prepare', height: SAMPLE_HEIGHT, round, digest: block.digest } as const
    const signed = await Promise.all(authors.map((author) => this.sign(author, draft)))
    return signed as Signed<PreparePayload>[]
  }

  /** The certificate of a block prepared in round 0. */
  async certificate(block: ProposedBlock): Promise<PreparedCertificate> {
    const proposal = { kind: 'proposal', height: SAMPLE_HEIGHT, round: 0, block } as const
    const signed = (await this.sign(this.proposer(0), proposal)) as Signed<ProposalPayload>
    const prepares = await this.prepares(block, 0)
    return {
      round: 0,
      block,
      prepares,
      proposal: this.codec.protocol === 'qbft' ? undefined : signed,
    }
  }

  async roundChange(
    author: TestValidator,
    round: number,
    certificate?: PreparedCertificate,
  ): Promise<RoundChangeMessage> {
    const signed = await this.sign(author, { kind: 'roundChange', height: SAMPLE_HEIGHT, round, certificate })
    return {
      kind: 'roundChange',
      signed: signed as Signed<RoundChangePayload>,
      block: certificate?.block,
      prepares: this.codec.protocol === 'qbft' ? (certificate?.prepares ?? []) : [],
      generation: this.codec.generation,
    }
  }

  async proposal(
    block: ProposedBlock,
    round: number,
    roundChanges: readonly RoundChangeMessage[] = [],
    certificate?: PreparedCertificate,
  ): Promise<ProposalMessage> {
    const signed = await this.sign(this.proposer(round), {
      kind: 'proposal',
      height: SAMPLE_HEIGHT,
      round,
      block,
    })
    return {
      kind: 'proposal',
      signed: signed as Signed<ProposalPayload>,
      block,
      roundChanges: roundChanges.map((change) => change.signed),
      prepares: this.codec.protocol === 'qbft' ? (certificate?.prepares ?? []) : [],
      generation: this.codec.generation,
    }
  }

  /** One of each kind, with and without justification and certificate. */
  samples(): Promise<readonly BftMessage[]> {
    this.#samples ??= this.#makeSamples()
    return this.#samples
  }

  async #makeSamples(): Promise<readonly BftMessage[]> {
    const [first, second] = this.validators as [TestValidator, TestValidator]
    const block = this.block(first, 0)
    const certificate = await this.certificate(block)
    const unprepared = await Promise.all(this.validators.map((one) => this.roundChange(one, 1)))
    const prepared = await Promise.all(this.validators.map((one) => this.roundChange(one, 1, certificate)))
    const commit = {
      kind: 'commit',
      height: SAMPLE_HEIGHT,
      round: 0,
      digest: block.digest,
      sealed: block.digest,
    } as const
    const again = this.withRound(block, 1)
    return [
      await this.proposal(block, 0),
      { kind: 'prepare', signed: certificate.prepares[0]! },
      { kind: 'commit', signed: (await this.sign(second, commit)) as Signed<CommitPayload> },
      unprepared[0]!,
      prepared[0]!,
      await this.proposal(this.block(second, 1), 1, unprepared),
      await this.proposal(again, 1, prepared, certificate),
    ]
  }

  problemOf(message: ProposalMessage | RoundChangeMessage): string | undefined {
    const isQbft = this.codec.protocol === 'qbft'
    if (message.kind === 'proposal') {
      return (isQbft ? qbftProposalProblem : ibft2ProposalProblem)(message, this.context)
    }
    return (isQbft ? qbftRoundChangeProblem : ibft2RoundChangeProblem)(message, this.context)
  }
}

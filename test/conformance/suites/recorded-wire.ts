/**
 * Consensus messages recorded between validators of running networks. Every message decodes, encodes to the same bytes,
 * is of a validator, and is justified by our rules; every final block is imported, its seals and all.
 */
import assert from 'node:assert/strict'
import type { Chain } from '#chain/write/create-chain.ts'
import type { BftMessage, MessageCodec } from '#consensus/bft/messages.ts'
import { proposerOf } from '#consensus/bft/proposer.ts'
import { quorumOf } from '#consensus/bft/quorum.ts'
import type { RuleContext } from '#consensus/bft/rules.ts'
import { withRound } from '#consensus/bft/wire/proposed-block.ts'
import { ibft2ProposalProblem, ibft2RoundChangeProblem } from '#consensus/ibft2/justification.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { qbftProposalProblem, qbftRoundChangeProblem } from '#consensus/qbft/justification.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { decodeBlock } from '#types/block/block.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

interface RecordedMessage {
  readonly type: 'Proposal' | 'Prepare' | 'Commit' | 'RoundChange'
  readonly code: number
  readonly round: number
  readonly data: string
}

interface RecordedHeight {
  readonly height: number
  /** null: the recording ended before the block. */
  readonly block: { readonly hash: string; readonly miner: string; readonly rlp: string } | null
  readonly messages: readonly RecordedMessage[]
}

interface Protocol {
  readonly folder: string
  /** Each a network of its own; several files where a network was stopped and started again. */
  readonly networks: readonly (readonly string[])[]
  readonly createCodec: typeof createQbftCodec
  readonly preparesNeeded: (validators: number) => number
  readonly proposalProblem: typeof qbftProposalProblem
  readonly roundChangeProblem: typeof qbftRoundChangeProblem
}

const KINDS = {
  Proposal: 'proposal',
  Prepare: 'prepare',
  Commit: 'commit',
  RoundChange: 'roundChange',
} as const

export const qbftWire: Suite = wireSuite({
  folder: 'recorded/qbft-wire',
  networks: [['messages-new1.json', 'messages-new2.json'], ['messages-old.json'], ['messages-mixed.json']],
  createCodec: createQbftCodec,
  preparesNeeded: quorumOf,
  proposalProblem: qbftProposalProblem,
  roundChangeProblem: qbftRoundChangeProblem,
})

export const ibft2Wire: Suite = wireSuite({
  folder: 'recorded/ibft2-wire',
  networks: [['messages-new.json'], ['messages-old.json']],
  createCodec: createIbft2Codec,
  // The proposer sends no prepare: its proposal counts as one.
  preparesNeeded: (validators) => quorumOf(validators) - 1,
  proposalProblem: ibft2ProposalProblem,
  roundChangeProblem: ibft2RoundChangeProblem,
})

function wireSuite(protocol: Protocol): Suite {
  return {
    name: protocol.folder,
    async *run(pack) {
      for (const files of protocol.networks) yield* playNetwork(pack, protocol, files)
    },
  }
}

async function* playNetwork(
  pack: Pack,
  protocol: Protocol,
  files: readonly string[],
): AsyncGenerator<Outcome, void, undefined> {
  const genesis = parseGenesisText(pack.text(`${protocol.folder}/genesis.json`))
  const { chain } = await openMemoryChain(genesis)
  const codec = protocol.createCodec(await loadCrypto(), 'current')
  const recorded = pack.json(`${protocol.folder}/validators.json`) as { readonly address: Address }[]
  const validators = recorded.map(({ address }) => address).sort()
  const heights = files.flatMap((file) => {
    const content = pack.json(`${protocol.folder}/${file}`) as { readonly heights: readonly RecordedHeight[] }
    return content.heights.map((height) => ({ file, ...height }))
  })
  const authors = new Map<number, Address | undefined>([[0, genesis.header.coinbase]])
  for (const height of heights) authors.set(height.height, authorOf(height, codec))
  for (const { file, height, block, messages } of heights) {
    const context = contextOf(protocol, codec, { height, validators, parentAuthor: authors.get(height - 1) })
    for (const [index, message] of messages.entries()) {
      const unit = `${protocol.folder}/${file}#${height}/${index}-${message.type}`
      yield outcomeOf(unit, () => judge(protocol, codec, message, context))
    }
    if (block === null) continue
    const unit = `${protocol.folder}/${file}#${height}/block`
    yield outcomeOf(unit, () => importFinal(chain, block, height))
  }
}

/** Where the recording ended before the block was final, its proposal tells who made it, if it came to one. */
function authorOf({ block, messages }: RecordedHeight, codec: MessageCodec): Address | undefined {
  if (block !== null) return block.miner as Address
  const recorded = messages.find(({ type }) => type === 'Proposal')
  if (recorded === undefined) return undefined
  const message = codec.decode(recorded.code, parseData(recorded.data))
  assert.ok(message.kind === 'proposal')
  return message.block.header.coinbase
}

function contextOf(
  { preparesNeeded }: Protocol,
  { protocol }: MessageCodec,
  {
    height,
    validators,
    parentAuthor,
  }: { height: number; validators: readonly Address[]; parentAuthor: Address | undefined },
): RuleContext {
  assert.ok(parentAuthor !== undefined, `the block before ${height} is recorded`)
  return {
    height,
    validators,
    quorum: quorumOf(validators.length),
    preparesNeeded: preparesNeeded(validators.length),
    proposerOf: (round) => proposerOf(parentAuthor, validators, round),
    withRound: (block, round) => withRound(protocol, block, round, keccak256),
  }
}

function judge(
  protocol: Protocol,
  codec: MessageCodec,
  { type, code, round, data }: RecordedMessage,
  context: RuleContext,
): void {
  const message = codec.decode(code, parseData(data))
  const encoded = codec.encode(message)
  assert.deepEqual([encoded.code, formatData(encoded.data)], [code, data], 'encodes to the same bytes')
  const { payload, author } = message.signed
  assert.deepEqual([message.kind, payload.kind], [KINDS[type], KINDS[type]])
  assert.deepEqual([payload.height, payload.round], [context.height, round])
  assert.ok(context.validators.includes(author), 'is of a validator')
  assert.equal(problemOf(protocol, message, context), undefined)
}

function problemOf(protocol: Protocol, message: BftMessage, context: RuleContext): string | undefined {
  switch (message.kind) {
    case 'proposal':
      return protocol.proposalProblem(message, context)
    case 'roundChange':
      return protocol.roundChangeProblem(message, context)
    case 'prepare':
      return undefined
    case 'commit': {
      const { author, payload } = message.signed
      return payload.sealAuthor === author ? undefined : 'The seal is of another.'
    }
  }
}

/** A block that a network was stopped at is recorded twice. */
async function importFinal(
  chain: Chain,
  { hash, miner, rlp }: NonNullable<RecordedHeight['block']>,
  height: number,
): Promise<void> {
  const encoded = parseData(rlp)
  const { header } = decodeBlock(encoded)
  assert.deepEqual([header.number, header.coinbase], [BigInt(height), miner])
  const received = chain.receive(encoded)
  assert.equal(received.hash, hash)
  const verdict = await chain.importBlock(received, { validation: 'full' })
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.sentence)
  assert.ok(chain.head.header.number >= BigInt(height), 'the block is in the chain')
  if (verdict.status === 'imported') assert.equal(chain.head.hash, hash as Hash)
}

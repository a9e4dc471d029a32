/**
 * Recorded consensus messages, judged by our rules: decoded, encoded again, and compared with the rules of their
 * height.
 */
import assert from 'node:assert/strict'
import type { Chain } from '#chain/write/create-chain.ts'
import type { HeightContext } from '#consensus/bft/events.ts'
import type { BftMessage, MessageCodec, ProposedBlock } from '#consensus/bft/messages.ts'
import { type BftRules, type RuleContext, ruleContextOf } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'
import { decodeBlock } from '#types/block/block.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, parseData } from '#types/hex.ts'

export interface RecordedMessage {
  readonly type: 'Proposal' | 'Prepare' | 'Commit' | 'RoundChange'
  readonly code: number
  readonly round: number
  /** The author as other code recovered it, if the recording has it. */
  readonly author?: string
  readonly data: string
}

export interface RecordedHeight {
  readonly height: number
  /** Null if the recording ended before the block. */
  readonly block: { readonly hash: string; readonly miner: string; readonly rlp: string } | null
  readonly messages: readonly RecordedMessage[]
}

const KINDS = {
  Proposal: 'proposal',
  Prepare: 'prepare',
  Commit: 'commit',
  RoundChange: 'roundChange',
} as const

/** The data for judging the messages of one height. */
export interface HeightJudge {
  readonly codec: MessageCodec
  readonly rules: BftRules
  readonly context: RuleContext
  /** Proposed blocks by the hash that messages use. */
  readonly blocks: ReadonlyMap<Hash, ProposedBlock>
}

export function heightJudge(
  codec: MessageCodec,
  rules: BftRules,
  { height, messages }: Pick<RecordedHeight, 'height' | 'messages'>,
  { validators, parentAuthor }: { validators: readonly Address[]; parentAuthor: Address | undefined },
): HeightJudge {
  assert.ok(parentAuthor !== undefined, `the block before ${height} is recorded`)
  // The rules only read the parent's author.
  const parent = { coinbase: parentAuthor } as HeightContext['parent']
  const context = ruleContextOf(rules, { height, validators, parent } as HeightContext)
  const blocks = new Map<Hash, ProposedBlock>()
  for (const { code, data } of messages.filter(({ type }) => type === 'Proposal')) {
    const message = codec.decode(code, parseData(data))
    if (message.kind === 'proposal') blocks.set(message.block.digest, message.block)
  }
  return { codec, rules, context, blocks }
}

/** Requires the recorded content, the same bytes after encoding, and a validator of the height as author. */
export function readRecorded(
  { codec, context }: HeightJudge,
  { type, code, round, data, author: recordedAuthor }: RecordedMessage,
): BftMessage {
  const message = codec.decode(code, parseData(data))
  const encoded = codec.encode(message)
  assert.deepEqual([encoded.code, formatData(encoded.data)], [code, data], 'encodes to the same bytes')
  const { payload, author } = message.signed
  assert.deepEqual([message.kind, payload.kind], [KINDS[type], KINDS[type]])
  assert.deepEqual([payload.height, payload.round], [context.height, round])
  assert.ok(context.validators.includes(author), 'is of a validator')
  if (recordedAuthor !== undefined) assert.equal(author, recordedAuthor)
  return message
}

/** Our rules' objection to a message, if there is one. */
export function problemOf(judge: HeightJudge, message: BftMessage): string | undefined {
  const { rules, context, blocks } = judge
  if (message.kind === 'proposal') return rules.proposalProblem(message, context)
  if (message.kind === 'roundChange') return rules.roundChangeProblem(message, context)
  const { digest, round } = message.signed.payload
  const block = blocks.get(digest)
  // If a recording begins or ends within a height, the proposal may be missing.
  const sealed = block === undefined ? undefined : rules.withRound(block, round).digest
  return rules.prepareOrCommitProblem(message, context, sealed)
}

/** A block at which a network was stopped is recorded twice. */
export async function importFinal(
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

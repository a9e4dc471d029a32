/**
 * Compares the messages that our validator sent at a height with all recorded ones. Messages are compared completely,
 * including blocks, proofs and justifications. A recording has the times of sending, not of arrival, so two things
 * may differ: the order of prepares in a proof, and which quorum of round changes a proposal contains.
 */
import assert from 'node:assert/strict'
import type { BftMessage, MessageCodec, ProposalMessage, Signed } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
import { formatData } from '#types/hex.ts'

export interface RecordedPlace {
  /** `file#height/validator-index` */
  readonly unit: string
  readonly address: Address
  readonly validators: number
  readonly codec: MessageCodec
  /** Messages of all validators, as they were sent. */
  readonly recorded: readonly BftMessage[]
}

/**
 * Throws if they differ. Returns 'roundsTogether' if only the rule of that name explains the difference
 * (docs/reference/compatibility.md).
 */
export function compareSent(place: RecordedPlace, sent: readonly BftMessage[]): 'same' | 'roundsTogether' {
  const ours = new Map(sent.map((message) => [slotOf(message), message]))
  const theirs = place.recorded.filter(({ signed }) => signed.author === place.address)
  let result: 'same' | 'roundsTogether' = 'same'
  for (const message of theirs) {
    const own = ours.get(slotOf(message))
    if (own === undefined && isLonelyChange(place, message)) result = 'roundsTogether'
    else {
      assert.ok(own !== undefined, `${slotOf(message)} was sent`)
      compareMessage(place, sent, own, message)
    }
  }
  const slots = new Set(theirs.map(slotOf))
  for (const message of sent.filter((each) => !slots.has(slotOf(each)))) {
    if (isFollowing(place, message)) result = 'roundsTogether'
    else assert.ok(isUnheard(place, message), `${slotOf(message)} was sent and is not recorded`)
  }
  return result
}

function compareMessage(
  place: RecordedPlace,
  sent: readonly BftMessage[],
  own: BftMessage,
  recorded: BftMessage,
): void {
  assert.equal(withoutOrder(place, own), withoutOrder(place, recorded), `${slotOf(recorded)} is as recorded`)
  if (own.kind !== 'proposal' || recorded.kind !== 'proposal') return
  // The node's own round changes are judged like any sent message.
  const heard = { ...place, recorded: [...place.recorded, ...sent] }
  compareJustification(heard, own, recorded)
}

/** The bytes without the round changes of a proposal and the order of prepares. */
function withoutOrder({ codec }: RecordedPlace, message: BftMessage): string {
  const sorted = <Payload>(list: readonly Signed<Payload>[]) =>
    list.toSorted((a, b) => (a.author < b.author ? -1 : 1))
  switch (message.kind) {
    case 'proposal':
      return bytesOf(codec, { ...message, prepares: sorted(message.prepares), roundChanges: [] })
    case 'roundChange':
      return bytesOf(codec, { ...message, prepares: sorted(message.prepares) })
    default:
      return bytesOf(codec, message)
  }
}

function bytesOf(codec: MessageCodec, message: BftMessage): string {
  return formatData(codec.encode(message).data)
}

/** Requires as many round changes, each sent in that round, from different authors. */
function compareJustification(place: RecordedPlace, own: ProposalMessage, recorded: ProposalMessage): void {
  const known = inRound(place, 'roundChange', recorded.signed.payload.round)
  const encoded = known.map(({ signed }) => formatData(signed.encoded))
  for (const { roundChanges } of [own, recorded]) {
    assert.equal(roundChanges.length, recorded.roundChanges.length, 'as many round changes as recorded')
    assert.equal(new Set(roundChanges.map(({ author }) => author)).size, roundChanges.length)
    for (const change of roundChanges)
      assert.ok(encoded.includes(formatData(change.encoded)), 'a round change that nobody sent')
  }
}

/** A change to a round above 1 although fewer than a quorum had requested the round before it. */
function isLonelyChange({ recorded, validators }: RecordedPlace, message: BftMessage): boolean {
  const { round } = message.signed.payload
  if (message.kind !== 'roundChange' || round < 2) return false
  const before = recorded.slice(0, recorded.indexOf(message))
  return changers(before, round - 1).size < quorumOf(validators)
}

/** A change to a round that enough others had requested that one of them is honest. */
function isFollowing({ recorded, validators, address }: RecordedPlace, message: BftMessage): boolean {
  if (message.kind !== 'roundChange') return false
  const others = changers(recorded, message.signed.payload.round)
  others.delete(address)
  return others.size > validators - quorumOf(validators)
}

function changers(messages: readonly BftMessage[], round: number): Set<Address> {
  const changes = messages.filter(
    ({ kind, signed }) => kind === 'roundChange' && signed.payload.round >= round,
  )
  return new Set(changes.map(({ signed }) => signed.author))
}

/** Heights at which the recording suppressed the commits of everyone in rounds 0 and 1. */
const SUPPRESSED: readonly string[] = [
  'recorded/ibft2-wire/messages-new.json#7',
  'recorded/ibft2-wire/messages-old.json#6',
  'recorded/qbft-wire/messages-new2.json#45',
  'recorded/qbft-wire/messages-old.json#12',
]

/** Validators that received the block from others before they could sign it. */
const TOO_LATE: readonly string[] = [
  'recorded/ibft2-wire/messages-new.json#5/validator-3',
  'recorded/ibft2-wire/messages-new.json#8/validator-0',
  'recorded/ibft2-wire/messages-old.json#2/validator-3',
  'recorded/qbft-wire/messages-mixed.json#17/validator-3',
  'recorded/qbft-wire/messages-new1.json#2/validator-1',
  'recorded/qbft-wire/messages-new1.json#6/validator-1',
  'recorded/qbft-wire/messages-new1.json#7/validator-2',
  'recorded/qbft-wire/messages-new1.json#21/validator-0',
  'recorded/qbft-wire/messages-new1.json#24/validator-1',
  'recorded/qbft-wire/messages-old.json#9/validator-0',
  'recorded/qbft-wire/messages-old.json#10/validator-1',
  'recorded/qbft-wire/messages-old.json#11/validator-3',
  'recorded/qbft-wire/messages-old.json#12/validator-0',
]

/** A message that our validator sent and the recorded one did not, or that was not recorded. */
function isUnheard(place: RecordedPlace, message: BftMessage): boolean {
  if (message.kind !== 'prepare' && message.kind !== 'commit') return false
  const { round, digest } = message.signed.payload
  const sameDigest = (each: BftMessage) =>
    'digest' in each.signed.payload && each.signed.payload.digest === digest
  const isSuppressed =
    message.kind === 'commit' && round < 2 && SUPPRESSED.includes(place.unit.split('/validator')[0]!)
  if (isSuppressed) return inRound(place, 'prepare', round).some(sameDigest)
  const commits = inRound(place, 'commit', round).filter(sameDigest)
  const authors = new Set(commits.map(({ signed }) => signed.author))
  return TOO_LATE.includes(place.unit) && authors.size >= quorumOf(place.validators)
}

function inRound({ recorded }: RecordedPlace, kind: BftMessage['kind'], round: number): BftMessage[] {
  return recorded.filter((each) => each.kind === kind && each.signed.payload.round === round)
}

/** A slot for one message: a message kind in a round. */
function slotOf({ kind, signed }: BftMessage): string {
  return `${kind} of round ${signed.payload.round}`
}

import type { Hash } from '#types/hash.ts'
import type { VotesRecord } from './events.ts'
import type { BftMessage, Draft, PreparedCertificate, RoundId } from './messages.ts'

/**
 * The record with one more vote in it, or undefined where the vote goes against it: anything in an older height or
 * round, or another digest where one was signed. The same record comes back if the vote is in it already.
 */
export function recordVote(
  record: VotesRecord | undefined,
  draft: Draft,
  certificate: PreparedCertificate | undefined,
): VotesRecord | undefined {
  const { height, round } = draft
  if (
    record !== undefined &&
    (height < record.height || (height === record.height && round < record.round))
  ) {
    return undefined
  }
  const isSameHeight = record?.height === height
  const current: VotesRecord =
    record !== undefined && isSameHeight && record.round === round
      ? record
      : { ...emptyRecord(draft), certificate: isSameHeight ? record?.certificate : undefined }
  if (draft.kind === 'roundChange') {
    // A vote in the round says that its author is there; only a change signed before may be signed again.
    if (current.roundChange) return draft.certificate === current.certificate ? current : undefined
    if (current.proposal ?? current.prepare ?? current.commit) return undefined
    return { ...current, roundChange: true, certificate: draft.certificate }
  }
  const digest = draft.kind === 'proposal' ? draft.block.digest : draft.digest
  const signed: Hash | undefined = current[draft.kind]
  if (signed !== undefined) return signed === digest ? current : undefined
  return { ...current, [draft.kind]: digest, certificate: certificate ?? current.certificate }
}

/** False: whoever keeps the record did not write the message, or lost the record of it. Older rounds are not kept. */
export function mayBeOnRecord(record: VotesRecord | undefined, { kind, signed: { payload } }: BftMessage) {
  const { height, round } = payload
  if (record === undefined || height > record.height) return false
  if (height < record.height || round < record.round) return true
  if (round > record.round) return false
  return kind === 'roundChange' || payload.kind === 'roundChange'
    ? record.roundChange
    : record[kind] === payload.digest
}

/** Nothing is signed yet. */
export function emptyRecord({ height, round }: RoundId): VotesRecord {
  return {
    height,
    round,
    proposal: undefined,
    prepare: undefined,
    commit: undefined,
    roundChange: false,
    certificate: undefined,
    knownTo: undefined,
  }
}

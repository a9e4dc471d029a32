import type { Hash } from '#types/hash.ts'
import type { SignatureEntry } from './events.ts'
import type { BftMessage, Draft, PreparedCertificate, RoundId } from './messages.ts'

/**
 * Returns the log entry with one more signature, or undefined if it contradicts the log: an older height or round, or another
 * digest than one already signed. Returns the same entry if it contains the signature.
 */
export function recordSignature(
  entry: SignatureEntry | undefined,
  draft: Draft,
  certificate: PreparedCertificate | undefined,
): SignatureEntry | undefined {
  const { height, round } = draft
  if (entry !== undefined && (height < entry.height || (height === entry.height && round < entry.round))) {
    return undefined
  }
  const isSameHeight = entry?.height === height
  const current: SignatureEntry =
    entry !== undefined && isSameHeight && entry.round === round
      ? entry
      : { ...emptyEntry(draft), certificate: isSameHeight ? entry?.certificate : undefined }
  if (draft.kind === 'roundChange') {
    // A prepare or commit shows that the author entered the round; only a round change signed before may be repeated.
    if (current.roundChange) return draft.certificate === current.certificate ? current : undefined
    if (current.proposal ?? current.prepare ?? current.commit) return undefined
    return { ...current, roundChange: true, certificate: draft.certificate }
  }
  const digest = draft.kind === 'proposal' ? draft.block.digest : draft.digest
  const signed: Hash | undefined = current[draft.kind]
  if (signed !== undefined) return signed === digest ? current : undefined
  return { ...current, [draft.kind]: digest, certificate: certificate ?? current.certificate }
}

/** Returns false if the owner of the log did not sign the message or lost its entry. Older rounds are not kept. */
export function mayBeInLog(entry: SignatureEntry | undefined, { kind, signed: { payload } }: BftMessage) {
  const { height, round } = payload
  if (entry === undefined || height > entry.height) return false
  if (height < entry.height || round < entry.round) return true
  if (round > entry.round) return false
  return kind === 'roundChange' || payload.kind === 'roundChange'
    ? entry.roundChange
    : entry[kind] === payload.digest
}

export function emptyEntry({ height, round }: RoundId): SignatureEntry {
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

import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { parseHash } from '#types/hash.ts'
import type { SignatureEntry } from './events.ts'
import type { BftMessage, Draft, PreparedCertificate } from './messages.ts'
import { mayBeInLog, recordSignature } from './record-signature.ts'

const A = parseHash('aa'.repeat(32))
const B = parseHash('bb'.repeat(32))
// Only its identity matters here.
const CERTIFICATE = { round: 0 } as PreparedCertificate

function draft(kind: 'prepare' | 'commit', round: number, digest = A, height = 7): Draft {
  return kind === 'prepare'
    ? { kind, height, round, digest }
    : { kind, height, round, digest, sealed: digest }
}
function change(round: number, certificate?: PreparedCertificate): Draft {
  return { kind: 'roundChange', height: 7, round, certificate }
}
function after(...drafts: readonly Draft[]): SignatureEntry {
  let entry: SignatureEntry | undefined
  for (const draft of drafts) entry = recordSignature(entry, draft, undefined)
  ok(entry)
  return entry
}

test('a signature in an older round or height contradicts the log', () => {
  const entry = after(draft('prepare', 2))
  strictEqual(recordSignature(entry, draft('prepare', 1), undefined), undefined)
  strictEqual(recordSignature(entry, draft('commit', 1), undefined), undefined)
  strictEqual(recordSignature(entry, change(1), undefined), undefined)
  strictEqual(recordSignature(entry, draft('prepare', 9, A, 6), undefined), undefined)
})

test('another digest in the same round contradicts the log, and the same one changes nothing', () => {
  const entry = after(draft('prepare', 2))
  strictEqual(recordSignature(entry, draft('prepare', 2, B), undefined), undefined)
  strictEqual(recordSignature(entry, draft('prepare', 2), undefined), entry)
})

test('a round change ends the earlier rounds and may only be repeated unchanged', () => {
  const entry = after(draft('prepare', 0), change(1))
  strictEqual(recordSignature(entry, draft('commit', 0), undefined), undefined)
  strictEqual(recordSignature(entry, change(1), undefined), entry)
  strictEqual(recordSignature(entry, change(1, CERTIFICATE), undefined), undefined)
})

test('a validator cannot change to a round in which it has signed', () => {
  strictEqual(recordSignature(after(draft('prepare', 1)), change(1), undefined), undefined)
})

test('a certificate binds for one complete height', () => {
  const committed = recordSignature(after(draft('prepare', 0)), draft('commit', 0), CERTIFICATE)
  strictEqual(committed?.certificate, CERTIFICATE)
  const later = recordSignature(committed, draft('prepare', 3, B), undefined)
  strictEqual(later?.certificate, CERTIFICATE)
  const next = recordSignature(later, draft('prepare', 0, B, 8), undefined)
  deepStrictEqual([next?.height, next?.certificate], [8, undefined])
})

/** A message as another node receives it. */
function message(kind: BftMessage['kind'], round: number, digest = A, height = 7): BftMessage {
  const payload = { kind, height, round, ...(kind === 'roundChange' ? {} : { digest }) }
  return { kind, signed: { payload } } as unknown as BftMessage
}

test('without a log entry no message is from this node', () => {
  strictEqual(mayBeInLog(undefined, message('prepare', 0)), false)
})

test('a message later than the log is not from this node', () => {
  const entry = after(draft('prepare', 2))
  strictEqual(mayBeInLog(entry, message('prepare', 2, A, 8)), false)
  strictEqual(mayBeInLog(entry, message('prepare', 0, A, 8)), false)
  strictEqual(mayBeInLog(entry, message('prepare', 3)), false)
  strictEqual(mayBeInLog(entry, message('roundChange', 3)), false)
})

test('a message older than the log may be from this node', () => {
  const entry = after(draft('prepare', 2))
  strictEqual(mayBeInLog(entry, message('commit', 9, B, 6)), true)
  strictEqual(mayBeInLog(entry, message('commit', 1, B)), true)
  strictEqual(mayBeInLog(entry, message('roundChange', 1)), true)
})

test('a message of the logged round is from this node if kind and digest match', () => {
  const entry = after(draft('prepare', 2))
  strictEqual(mayBeInLog(entry, message('prepare', 2)), true)
  strictEqual(mayBeInLog(entry, message('prepare', 2, B)), false)
  strictEqual(mayBeInLog(entry, message('commit', 2)), false)
  strictEqual(mayBeInLog(entry, message('proposal', 2)), false)
  strictEqual(mayBeInLog(entry, message('roundChange', 2)), false)
  strictEqual(mayBeInLog(after(change(2)), message('roundChange', 2)), true)
  strictEqual(mayBeInLog(after(change(2)), message('prepare', 2)), false)
})

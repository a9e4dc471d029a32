import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { it } from 'node:test'
import { parseHash } from '#types/hash.ts'
import type { VotesRecord } from './events.ts'
import type { BftMessage, Draft, PreparedCertificate } from './messages.ts'
import { mayBeOnRecord, recordVote } from './record-vote.ts'

const A = parseHash('aa'.repeat(32))
const B = parseHash('bb'.repeat(32))
// Only its identity matters here.
const CERTIFICATE = { round: 0 } as PreparedCertificate

function vote(kind: 'prepare' | 'commit', round: number, digest = A, height = 7): Draft {
  return kind === 'prepare'
    ? { kind, height, round, digest }
    : { kind, height, round, digest, sealed: digest }
}
function change(round: number, certificate?: PreparedCertificate): Draft {
  return { kind: 'roundChange', height: 7, round, certificate }
}
function after(...drafts: readonly Draft[]): VotesRecord {
  let record: VotesRecord | undefined
  for (const draft of drafts) record = recordVote(record, draft, undefined)
  ok(record)
  return record
}

it('a vote in an older round or height goes against the record', () => {
  const record = after(vote('prepare', 2))
  strictEqual(recordVote(record, vote('prepare', 1), undefined), undefined)
  strictEqual(recordVote(record, vote('commit', 1), undefined), undefined)
  strictEqual(recordVote(record, change(1), undefined), undefined)
  strictEqual(recordVote(record, vote('prepare', 9, A, 6), undefined), undefined)
})

it('another digest in the same round goes against it, and the same one changes nothing', () => {
  const record = after(vote('prepare', 2))
  strictEqual(recordVote(record, vote('prepare', 2, B), undefined), undefined)
  strictEqual(recordVote(record, vote('prepare', 2), undefined), record)
})

it('a change to a round ends the votes of the rounds before, and is said again only as it was', () => {
  const record = after(vote('prepare', 0), change(1))
  strictEqual(recordVote(record, vote('commit', 0), undefined), undefined)
  strictEqual(recordVote(record, change(1), undefined), record)
  strictEqual(recordVote(record, change(1, CERTIFICATE), undefined), undefined)
})

it('nobody changes to a round in which it has voted', () => {
  strictEqual(recordVote(after(vote('prepare', 1)), change(1), undefined), undefined)
})

it('a certificate stays for the whole height and goes with it', () => {
  const committed = recordVote(after(vote('prepare', 0)), vote('commit', 0), CERTIFICATE)
  strictEqual(committed?.certificate, CERTIFICATE)
  const later = recordVote(committed, vote('prepare', 3, B), undefined)
  strictEqual(later?.certificate, CERTIFICATE)
  const next = recordVote(later, vote('prepare', 0, B, 8), undefined)
  deepStrictEqual([next?.height, next?.certificate], [8, undefined])
})

/** As somebody hears it, who may have written it before. */
function message(kind: BftMessage['kind'], round: number, digest = A, height = 7): BftMessage {
  const payload = { kind, height, round, ...(kind === 'roundChange' ? {} : { digest }) }
  return { kind, signed: { payload } } as unknown as BftMessage
}

it('without a record nothing was written by this node', () => {
  strictEqual(mayBeOnRecord(undefined, message('prepare', 0)), false)
})

it('what is later than the record was not written by this node', () => {
  const record = after(vote('prepare', 2))
  strictEqual(mayBeOnRecord(record, message('prepare', 2, A, 8)), false)
  strictEqual(mayBeOnRecord(record, message('prepare', 0, A, 8)), false)
  strictEqual(mayBeOnRecord(record, message('prepare', 3)), false)
  strictEqual(mayBeOnRecord(record, message('roundChange', 3)), false)
})

it('of what is older nobody knows, so that it may have been', () => {
  const record = after(vote('prepare', 2))
  strictEqual(mayBeOnRecord(record, message('commit', 9, B, 6)), true)
  strictEqual(mayBeOnRecord(record, message('commit', 1, B)), true)
  strictEqual(mayBeOnRecord(record, message('roundChange', 1)), true)
})

it('of its round a vote was written if the record has it, of that kind and with that digest', () => {
  const record = after(vote('prepare', 2))
  strictEqual(mayBeOnRecord(record, message('prepare', 2)), true)
  strictEqual(mayBeOnRecord(record, message('prepare', 2, B)), false)
  strictEqual(mayBeOnRecord(record, message('commit', 2)), false)
  strictEqual(mayBeOnRecord(record, message('proposal', 2)), false)
  strictEqual(mayBeOnRecord(record, message('roundChange', 2)), false)
  strictEqual(mayBeOnRecord(after(change(2)), message('roundChange', 2)), true)
  strictEqual(mayBeOnRecord(after(change(2)), message('prepare', 2)), false)
})

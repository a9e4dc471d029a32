import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import type { PreparePayload, RoundChangeMessage, Signed } from '#consensus/bft/messages.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import type { Address } from '#types/address.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { blockDelayMs, headerTimestamp, holdBackMs } from './block-time.ts'
import { FutureMessages, type MessageEvent } from './future-messages.ts'
import { MAX_ROUNDS_PER_AUTHOR, RoundChanges } from './round-changes.ts'
import { MAX_ROUNDS_AHEAD, RoundMessages } from './round-messages.ts'

const RULES = createQbftRules({ maxRoundTimeoutMs: 60_000 })
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address
const DIGEST = parseHash('aa'.repeat(32))
const NOTHING = new Uint8Array(0)

function prepare(author: number, round: number): Signed<PreparePayload> {
  const payload = { kind: 'prepare', height: 1, round, digest: DIGEST } as const
  return { payload, author: address(author), encoded: NOTHING }
}

function roundChange(author: number, round: number): RoundChangeMessage {
  const payload = { kind: 'roundChange', height: 1, round, prepared: undefined } as const
  const signed = { payload, author: address(author), encoded: NOTHING }
  return { kind: 'roundChange', signed, block: undefined, prepares: [], generation: 'current' }
}

function future(author: number, height: number, bytes = 100): MessageEvent {
  const payload = { kind: 'prepare', height, round: 0, digest: DIGEST } as const
  const message = { kind: 'prepare', signed: { payload, author: address(author), encoded: NOTHING } } as const
  const now = { wallMs: 0, monotonicMs: 0 }
  return { type: 'message', message, raw: new Uint8Array(bytes), code: 0x13, from: 'peer', now }
}

test('prepares and commits are kept for a bounded number of rounds ahead, one per author', () => {
  const messages = new RoundMessages(RULES.collect)
  strictEqual(messages.add(prepare(1, 5), 5), 'added')
  strictEqual(messages.add(prepare(1, 5), 5), 'known')
  strictEqual(messages.add(prepare(1, 5 + MAX_ROUNDS_AHEAD), 5), 'added')
  strictEqual(messages.add(prepare(1, 6 + MAX_ROUNDS_AHEAD), 5), 'tooFarAhead')
  strictEqual(messages.prepares(5).length, 1)
})

test('an author that asks for ever higher rounds evicts only its own requests', () => {
  const changes = new RoundChanges(RULES)
  strictEqual(changes.add(roundChange(2, 1)), 'added')
  for (let round = 1; round <= 1_000; round++) changes.add(roundChange(1, round))
  deepStrictEqual(
    changes.all().map(({ author, payload }) => [author, payload.round]),
    [[address(2), 1], ...[998, 999, 1_000].map((round) => [address(1), round])],
  )
  strictEqual(changes.all().length, 1 + MAX_ROUNDS_PER_AUTHOR)
  strictEqual(changes.add(roundChange(1, 5)), 'tooMany')
  strictEqual(changes.add(roundChange(1, 999)), 'known')
})

test('two claims of one author for a round are distinguished, and the first counts', () => {
  const changes = new RoundChanges(RULES)
  const claiming = (digest: Hash): RoundChangeMessage => {
    const { signed, ...message } = roundChange(1, 3)
    const prepared = { round: 1, digest, proof: undefined }
    return { ...message, signed: { ...signed, payload: { ...signed.payload, prepared } } }
  }
  strictEqual(changes.add(claiming(DIGEST)), 'added')
  strictEqual(changes.add(claiming(DIGEST)), 'known')
  strictEqual(changes.add(claiming(parseHash('bb'.repeat(32)))), 'different')
  strictEqual(changes.add(roundChange(1, 3)), 'different')
  deepStrictEqual(
    changes.all().map(({ payload }) => payload.prepared?.digest),
    [DIGEST],
  )
})

test('a node goes to the round that f + 1 validators have reached, and not to a higher one of the faulty', () => {
  const target = (...rounds: number[]) =>
    RULES.roundOfOthers(
      rounds.map((round, author) => roundChange(author, round).signed),
      2,
      4,
    )
  strictEqual(target(9), undefined)
  strictEqual(target(9, 2), undefined)
  strictEqual(target(9, 4), 4)
  strictEqual(target(9, 4, 5), 5)
})

test('future messages are bounded in distance, count and bytes, and strangers go first', () => {
  const validators = [address(1), address(2)]
  const kept = new FutureMessages({ maxDistance: 10, maxMessages: 4, maxBytes: 1_000 })
  strictEqual(kept.add(future(1, 16), 5, validators), 1)
  for (const author of [1, 9, 2]) strictEqual(kept.add(future(author, 6), 5, validators), 0)
  strictEqual(kept.add(future(1, 7), 5, validators), 0)
  strictEqual(kept.add(future(2, 7), 5, validators), 1)
  strictEqual(kept.add(future(1, 6, 700), 5, validators), 2)
  deepStrictEqual(kept.size, { messages: 3, bytes: 900 })
  strictEqual(kept.take(6).length, 3)
  deepStrictEqual(kept.size, { messages: 0, bytes: 0 })
})

test('no messages are kept if the network sets the limit to none', () => {
  const kept = new FutureMessages({ maxDistance: 10, maxMessages: 0, maxBytes: 1_000 })
  strictEqual(kept.add(future(1, 6), 5, [address(1)]), 1)
})

test('header times are rounded to the nearest second in round 0, down later, and are never too early', () => {
  const timing = {
    parent: { hash: DIGEST, timestampSeconds: 100, coinbase: address(1) },
    period: { seconds: 2 },
    emptyBlockPeriodSeconds: 0,
  }
  const at = (wallMs: number) => ({ wallMs, monotonicMs: 0 })
  strictEqual(headerTimestamp(timing, 0, at(103_600)), 104)
  strictEqual(headerTimestamp(timing, 1, at(103_600)), 103)
  strictEqual(headerTimestamp(timing, 1, at(90_000)), 102)
  strictEqual(headerTimestamp({ ...timing, period: { milliseconds: 100 } }, 0, at(90_000)), 100)
  strictEqual(blockDelayMs(timing, at(101_500), 'armed'), 500)
  strictEqual(blockDelayMs(timing, at(200_000), 'armed'), 0)
  strictEqual(holdBackMs({ ...timing, emptyBlockPeriodSeconds: 10 }, at(102_000)), 2_000)
  strictEqual(holdBackMs({ ...timing, emptyBlockPeriodSeconds: 10 }, at(109_500)), 500)
  strictEqual(holdBackMs({ ...timing, emptyBlockPeriodSeconds: 10 }, at(110_000)), 0)
})

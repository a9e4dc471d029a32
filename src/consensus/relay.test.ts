import { deepStrictEqual } from 'node:assert'
import { suite, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import type { Address } from '#types/address.ts'
import { type MessageFacts, Relay } from './relay.ts'

const [A, T, X] = ['0xa', '0xb', '0xc'] as unknown as readonly Address[] as [Address, Address, Address]
const TIMEOUT_MS = 4_000
const WAIT_MS = 1_000
const MINUTE_MS = 60_000

const facts = (kind: MessageFacts['kind'], author = A, height = 1, round = 0): MessageFacts => ({
  author,
  kind,
  height,
  round,
})

function relay() {
  const clock = createFakeClock()
  const sent: string[] = []
  const budget = { isLeft: true }
  const made = new Relay({
    clock,
    send: (to, code) => void sent.push(`${code} to ${to.join(' and ')}`),
    mayRepeat: () => budget.isLeft,
  })
  made.enter([A, T, X], TIMEOUT_MS)
  /** Relays a message of A, with its stage as the code, and returns everything sent since the last call. */
  const pass = (message = facts('prepare'), to: readonly Address[] = [T]): string[] => {
    const code = { proposal: 0, prepare: 1, commit: 2, roundChange: 3 }[message.kind]
    made.pass({ ...message, code, raw: new Uint8Array() }, to)
    return sent.splice(0)
  }
  return { clock, sent, made, pass, budget }
}

suite('a message is relayed at once', () => {
  test('to a peer that never sent a message of the author', () => {
    const { pass, made } = relay()
    made.received(A, facts('prepare'))
    made.received(X, facts('prepare'))
    deepStrictEqual(pass(), ['1 to 0xb'])
  })

  test('if it asks for a round or belongs to a later one', () => {
    const { pass, made } = relay()
    made.received(T, facts('prepare'))
    deepStrictEqual(pass(facts('roundChange')), ['3 to 0xb'])
    deepStrictEqual(pass(facts('prepare', A, 1, 1)), ['1 to 0xb'])
  })

  test('if it is a proposal in the second half of the time of round 0, or in a later round', () => {
    const { pass, made, clock } = relay()
    made.received(T, facts('prepare'))
    clock.advance(TIMEOUT_MS)
    made.roundBegan(0, TIMEOUT_MS)
    clock.advance(TIMEOUT_MS / 2)
    deepStrictEqual(pass(facts('proposal')), ['0 to 0xb'])
    deepStrictEqual(pass(facts('prepare')), [])
    made.enter([A, T, X], TIMEOUT_MS)
    made.roundBegan(0, TIMEOUT_MS)
    clock.advance(TIMEOUT_MS / 2 - 1)
    deepStrictEqual(pass(facts('proposal', A, 2)), [])
    made.enter([A, T, X], TIMEOUT_MS)
    made.roundBegan(1, 2 * TIMEOUT_MS)
    deepStrictEqual(pass(facts('proposal', A, 3)), ['0 to 0xb'])
  })

  test('after the peer or the author connected again', () => {
    for (const reconnected of [A, T]) {
      const { pass, made } = relay()
      made.received(T, facts('prepare'))
      deepStrictEqual(pass(), [])
      made.reconnected(reconnected)
      deepStrictEqual(pass(), ['1 to 0xb'])
    }
  })
})

suite('a relay to a peer that hears the author waits', () => {
  test('and is sent when its time is up', () => {
    const { pass, made, clock, sent } = relay()
    made.received(T, facts('proposal'))
    deepStrictEqual(pass(facts('prepare'), [T, X]), ['1 to 0xc'])
    clock.advance(WAIT_MS - 1)
    deepStrictEqual(sent, [])
    clock.advance(1)
    deepStrictEqual(sent, ['1 to 0xb'])
  })

  test('and is sent once a minute when the peer sends the message, which shows the peer that this node hears the author', () => {
    const { pass, made, clock, sent } = relay()
    made.received(T, facts('proposal'))
    pass()
    made.received(T, facts('prepare'))
    deepStrictEqual(sent.splice(0), ['1 to 0xb'])
    made.enter([A, T, X], TIMEOUT_MS)
    clock.advance(MINUTE_MS)
    pass(facts('prepare', A, 2))
    made.received(T, facts('prepare', A, 2))
    deepStrictEqual(sent.splice(0), ['1 to 0xb'])
  })

  test('and is dropped when the peer sends the message again within a minute', () => {
    const { pass, made, clock, sent } = relay()
    made.received(T, facts('proposal'))
    pass()
    made.received(T, facts('prepare'))
    sent.splice(0)
    pass(facts('commit'))
    made.received(T, facts('commit'))
    clock.advance(WAIT_MS)
    deepStrictEqual(sent, [])
  })

  test("and is dropped when the peer's own message shows that it has the message", () => {
    for (const [waiting, shown, isDropped] of [
      ['proposal', 'prepare', true],
      ['prepare', 'commit', true],
      ['prepare', 'prepare', false],
      ['commit', 'prepare', false],
    ] as const) {
      const { pass, made, clock, sent } = relay()
      made.received(T, facts('proposal'))
      pass(facts(waiting))
      made.received(X, facts(shown, T))
      clock.advance(WAIT_MS)
      deepStrictEqual(sent.length, isDropped ? 0 : 1, `${waiting}, ${shown}`)
    }
  })

  test('and is dropped when this node has the block', () => {
    const { pass, made, clock, sent } = relay()
    made.received(T, facts('proposal'))
    pass()
    made.enter([A, T, X], TIMEOUT_MS)
    clock.advance(WAIT_MS)
    deepStrictEqual(sent, [])
  })

  test('for a quarter of the round timeout at most', () => {
    const { pass, made, clock, sent } = relay()
    made.enter([A, T, X], 1_000)
    made.received(T, facts('proposal'))
    pass()
    clock.advance(250)
    deepStrictEqual(sent, ['1 to 0xb'])
  })
})

test('after a relay was needed, those of its author go to the peer at once, longer each time', () => {
  const { pass, made, clock, sent } = relay()
  for (const minutes of [1, 2, 4]) {
    made.received(T, facts('commit'))
    deepStrictEqual(pass(), [], `${minutes}`)
    clock.advance(WAIT_MS)
    deepStrictEqual(sent.splice(0), ['1 to 0xb'])
    made.received(T, facts('commit'))
    deepStrictEqual(pass(), ['1 to 0xb'])
    clock.advance(minutes * MINUTE_MS - 1)
    deepStrictEqual(pass(), ['1 to 0xb'])
    clock.advance(1)
  }
})

test('a relay whose time was up was not needed if the peer sends its own copy afterwards', () => {
  const { pass, made, clock, sent } = relay()
  for (let block = 0; block < 3; block++) {
    made.received(T, facts('proposal'))
    deepStrictEqual(pass(), [], `${block}`)
    clock.advance(WAIT_MS)
    deepStrictEqual(sent.splice(0), ['1 to 0xb'])
    made.received(T, facts('prepare'))
  }
})

test('a round change that its author repeats is relayed again, once for all copies', () => {
  const { pass, made, clock, sent } = relay()
  made.received(A, facts('roundChange'))
  pass(facts('roundChange'))
  made.received(A, facts('roundChange'))
  made.received(X, facts('roundChange'))
  deepStrictEqual(sent, [])
  clock.advance(TIMEOUT_MS / 2)
  made.received(X, facts('roundChange'))
  made.received(A, facts('roundChange'))
  deepStrictEqual(sent.splice(0), ['3 to 0xb'])
})

test('of several round changes of an author only the latest is relayed again', () => {
  const { pass, made, clock, sent } = relay()
  for (const round of [1, 3, 2]) pass(facts('roundChange', A, 1, round))
  for (const round of [1, 2, 3]) {
    clock.advance(TIMEOUT_MS)
    made.received(A, facts('roundChange', A, 1, round))
    deepStrictEqual(sent.splice(0), round === 3 ? ['3 to 0xb and 0xc'] : [], `${round}`)
  }
  clock.advance(TIMEOUT_MS)
  made.enter([A, T, X], TIMEOUT_MS)
  made.received(A, facts('roundChange', A, 1, 3))
  deepStrictEqual(sent, [])
})

test('two validators that hear an author stop relaying it to each other, also if only one of them knows it at first', () => {
  const clock = createFakeClock()
  const copies: { from: Address; message: MessageFacts }[] = []
  const make = (from: Address) =>
    new Relay({
      clock,
      send: (_to, code) => void copies.push({ from, message: facts('prepare', A, code) }),
      mayRepeat: () => true,
    })
  const [t, x] = [make(T), make(X)]
  const sent = [1, 2, 3, 4].map((height) => {
    for (const each of [t, x]) each.enter([A, T, X], TIMEOUT_MS)
    const message = { ...facts('prepare', A, height), code: height, raw: new Uint8Array() }
    t.received(A, message)
    t.pass(message, [X])
    // At height 1 the relay of T arrives first, and X does not return it.
    x.received(height === 1 ? T : A, message)
    x.pass(message, height === 1 ? [] : [T])
    let count = 0
    for (let copy = copies.shift(); copy !== undefined; copy = copies.shift()) {
      count++
      ;(copy.from === T ? x : t).received(copy.from, copy.message)
    }
    return count
  })
  deepStrictEqual(sent, [1, 2, 0, 0])
})

test('a repeated round change beyond the budget is relayed at a later repetition', () => {
  const { clock, sent, made, pass, budget } = relay()
  pass(facts('roundChange'))
  budget.isLeft = false
  clock.advance(TIMEOUT_MS)
  made.received(A, facts('roundChange'))
  deepStrictEqual(sent, [])
  budget.isLeft = true
  made.received(A, facts('roundChange'))
  deepStrictEqual(sent, ['3 to 0xb and 0xc'])
})

test('an author that is not a validator leaves no evidence', () => {
  const { pass, made } = relay()
  made.enter([T, X], TIMEOUT_MS)
  made.received(T, facts('prepare'))
  made.enter([A, T, X], TIMEOUT_MS)
  deepStrictEqual(pass(), ['1 to 0xb'])
})

test('several needed relays of one time count once', () => {
  const { pass, made, clock } = relay()
  made.received(T, facts('proposal'))
  pass(facts('proposal'))
  pass(facts('prepare'))
  clock.advance(WAIT_MS + MINUTE_MS)
  made.received(T, facts('proposal'))
  deepStrictEqual(pass(facts('commit')).length, 2)
  deepStrictEqual(pass(facts('commit')), [])
})

test('a peer that is not a validator does not count', () => {
  const { pass, made } = relay()
  made.enter([A, X], TIMEOUT_MS)
  made.received(T, facts('prepare'))
  made.enter([A, T, X], TIMEOUT_MS)
  deepStrictEqual(pass(), ['1 to 0xb'])
})

import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { parseHash } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import { BuildAhead } from './build-ahead.ts'
import type { BuildOrder } from './driver-ports.ts'

const PERIOD_MS = 1_000
const LATE_MS = 850
const HASH = parseHash('11'.repeat(32))
const OTHER_HASH = parseHash('22'.repeat(32))
const EMPTY_LIST = encodeRlpList([])

function orderOf(height: number, more: Partial<BuildOrder> = {}): BuildOrder {
  return { height, round: 0, parent: HASH, timestampSeconds: 1_000 + height, validators: [], ...more }
}

function blockOf(transactions: number): ProposedBlock {
  const body = Array.from({ length: transactions }, () => encodeRlp(Uint8Array.of(1, 2, 3)))
  return { encoded: encodeRlpList([EMPTY_LIST, encodeRlpList(body), EMPTY_LIST]) } as ProposedBlock
}

/** A builder that takes its time, and what it was asked for. */
class Site {
  readonly clock = createFakeClock()
  readonly startedMs: number[] = []
  takesMs = 200
  transactions = 1
  isBroken = false
  aborted = 0
  readonly ahead = new BuildAhead(this.clock, (_order, signal) => this.#build(signal))

  #build(signal: AbortSignal): Promise<ProposedBlock> {
    this.startedMs.push(this.clock.monotonicMs())
    const { promise, resolve, reject } = Promise.withResolvers<ProposedBlock>()
    const { isBroken, transactions } = this
    let isDone = false
    const finish = () => {
      isDone = true
      if (isBroken) reject(new Error('The disk is full.'))
      else resolve(blockOf(transactions))
    }
    const timer = this.clock.after(this.takesMs, finish)
    signal.addEventListener('abort', () => {
      if (!isDone) this.aborted += 1
      timer.cancel()
      reject(new Error('Nobody wants it.'))
    })
    return promise
  }

  /** Asked for when it is due; gives how many milliseconds later it is there. */
  async takesUntilBuilt(order: BuildOrder, signal = new AbortController().signal): Promise<number> {
    const askedMs = this.clock.monotonicMs()
    let isDone = false
    const done = this.ahead.build(order, signal).finally(() => {
      isDone = true
    })
    // Listened to before time goes on; it is waited for at the end.
    done.catch(() => undefined)
    for (let step = 0; step < 1_000; step++) {
      await turns()
      if (isDone) break
      this.clock.advance(10)
    }
    await done
    return this.clock.monotonicMs() - askedMs
  }

  async period(order: BuildOrder): Promise<number> {
    await this.announced(order)
    return this.takesUntilBuilt(order)
  }

  /** Until it is due, or for so long. `late` happens when most of the period is over. */
  async announced(order: BuildOrder, forMs = PERIOD_MS, late?: () => void): Promise<void> {
    this.ahead.expect(order, { inMs: PERIOD_MS, periodMs: PERIOD_MS })
    for (let gone = 0; gone < forMs; gone += 25) {
      if (gone === LATE_MS) late?.()
      this.clock.advance(25)
      await turns()
    }
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** One that knows by now how long a block takes. */
async function experienced(takesMs = 200): Promise<Site> {
  const site = new Site()
  site.takesMs = takesMs
  equal(await site.period(orderOf(1)), takesMs)
  return site
}

test('a block is begun as long before its time as the last one took, and a quarter more', async () => {
  const site = await experienced()
  const beginMs = site.clock.monotonicMs()
  equal(await site.period(orderOf(2)), 0)
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS - 250])
})

test('the slowest of the last eight counts', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  for (let height = 2; height <= 9; height++) await site.period(orderOf(height))
  const beginMs = site.clock.monotonicMs()
  await site.period(orderOf(10))
  deepEqual(site.startedMs.at(-1), beginMs + PERIOD_MS - 125)
  equal(site.startedMs.at(-3), beginMs - 375)
})

test('a block that was there much too early is built once more, as late as it can be', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  const beginMs = site.clock.monotonicMs()
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.transactions = 7
  })
  deepEqual(
    site.startedMs.slice(1).map((each) => each - beginMs),
    [PERIOD_MS - 375, PERIOD_MS - 125],
  )
  equal(transactionCount(await site.ahead.build(orderOf(2), new AbortController().signal)), 7)
})

test('a second build that is nearly there is waited for', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.takesMs = 140
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 20)
  deepEqual([site.startedMs.length, site.aborted], [3, 0])
})

test('a second build that takes too long is given up', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.takesMs = 500
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 30)
  deepEqual([site.startedMs.length, site.aborted], [3, 1])
})

test('a second build that fails leaves the first', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.isBroken = true
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 0)
})

test('no second build begins when the block is given up', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), 800)
  site.ahead.onHead(OTHER_HASH)
  site.clock.advance(PERIOD_MS)
  equal(site.startedMs.length, 2)
})

test('what is built at once is built when it is due, so that nothing waits in vain', async () => {
  const site = await experienced(10)
  const dueMs = site.clock.monotonicMs() + PERIOD_MS
  equal(await site.period(orderOf(2)), 10)
  deepEqual(site.startedMs.slice(1), [dueMs])
})

test('no block is begun in the first half of its period', async () => {
  const site = await experienced(900)
  const beginMs = site.clock.monotonicMs()
  equal(await site.period(orderOf(2)), 400)
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS / 2])
})

test('a block that is announced late is begun at once', async () => {
  const site = await experienced()
  const nowMs = site.clock.monotonicMs()
  site.ahead.expect(orderOf(2), { inMs: 120, periodMs: PERIOD_MS })
  site.clock.advance(120)
  equal(await site.takesUntilBuilt(orderOf(2)), 80)
  deepEqual(site.startedMs.slice(1), [nowMs])
})

test('a block without transactions is built again when it is due', async () => {
  const site = await experienced()
  site.transactions = 0
  site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.clock.advance(PERIOD_MS)
  site.transactions = 1
  equal(await site.takesUntilBuilt(orderOf(2)), 200)
  equal(site.startedMs.length, 3)
})

for (const [what, more] of Object.entries({
  time: { timestampSeconds: 2_000 },
  parent: { parent: OTHER_HASH },
  round: { round: 1 },
  height: { height: 3 },
})) {
  test(`a block with another ${what} than was announced is built when it is asked for`, async () => {
    const site = await experienced()
    site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
    site.clock.advance(PERIOD_MS - 100)
    equal(await site.takesUntilBuilt({ ...orderOf(2), ...more }), 200)
    deepEqual([site.startedMs.length, site.aborted], [3, 1])
  })
}

test('when the head moved elsewhere, building ends; on the same parent it goes on', async () => {
  const site = await experienced()
  site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.clock.advance(PERIOD_MS - 100)
  site.ahead.onHead(HASH)
  equal(site.aborted, 0)
  site.ahead.onHead(OTHER_HASH)
  equal(site.aborted, 1)
  site.ahead.expect(orderOf(3), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.ahead.cancel()
  equal(site.clock.pendingTimers, 0)
})

test('announced again, a block is begun by the later word; once begun it is not begun again', async () => {
  const site = await experienced()
  const nowMs = site.clock.monotonicMs()
  site.ahead.expect(orderOf(2), { inMs: 3_000, periodMs: PERIOD_MS })
  site.clock.advance(500)
  site.ahead.expect(orderOf(2), { inMs: 500, periodMs: PERIOD_MS })
  site.clock.advance(300)
  site.ahead.expect(orderOf(2), { inMs: 200, periodMs: PERIOD_MS })
  site.clock.advance(200)
  equal(await site.takesUntilBuilt(orderOf(2)), 0)
  deepEqual(site.startedMs.slice(1), [nowMs + 750])
})

test('what failed ahead is tried again when it is due, and says then why', async () => {
  const site = await experienced()
  site.isBroken = true
  site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.clock.advance(PERIOD_MS)
  await rejects(site.takesUntilBuilt(orderOf(2)), /The disk is full/)
  site.isBroken = false
  equal(await site.takesUntilBuilt(orderOf(2)), 200)
})

test('whoever asked for a block that is still being built can call it off', async () => {
  const site = await experienced()
  site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.takesMs = 600
  site.clock.advance(PERIOD_MS)
  const cancel = new AbortController()
  const built = site.ahead.build(orderOf(2), cancel.signal)
  cancel.abort()
  await rejects(built, /Nobody wants it/)
  deepEqual([site.startedMs.length, site.aborted], [2, 1])
})

import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { parseHash } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import { BuildAhead } from './build-ahead.ts'
import type { BuildOrder } from './driver-parts.ts'

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

/** A slow builder, and its orders. */
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

  /** Requests the block when it is due; returns how many milliseconds later it arrives. */
  async takesUntilBuilt(order: BuildOrder, signal = new AbortController().signal): Promise<number> {
    const askedMs = this.clock.monotonicMs()
    let isDone = false
    const done = this.ahead.build(order, signal).finally(() => {
      isDone = true
    })
    // Handled before time goes on, and awaited at the end.
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

  /** Waits until the block is due, or this long. `late` runs when most of the period is over. */
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

/** A site that knows how long a block takes. */
async function experienced(takesMs = 200): Promise<Site> {
  const site = new Site()
  site.takesMs = takesMs
  equal(await site.period(orderOf(1)), takesMs)
  return site
}

test('a build starts as early as the last one took, plus a quarter', async () => {
  const site = await experienced()
  const beginMs = site.clock.monotonicMs()
  equal(await site.period(orderOf(2)), 0)
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS - 250])
})

test('the slowest of the last eight builds counts', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  for (let height = 2; height <= 9; height++) await site.period(orderOf(height))
  const beginMs = site.clock.monotonicMs()
  await site.period(orderOf(10))
  deepEqual(site.startedMs.at(-1), beginMs + PERIOD_MS - 125)
  equal(site.startedMs.at(-3), beginMs - 375)
})

test('a block that is ready much too early is built again as late as possible', async () => {
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

test('a second build that is almost done is awaited', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.takesMs = 140
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 20)
  deepEqual([site.startedMs.length, site.aborted], [3, 0])
})

test('a second build that takes too long is cancelled', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.takesMs = 500
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 30)
  deepEqual([site.startedMs.length, site.aborted], [3, 1])
})

test('a failed second build leaves the first', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), PERIOD_MS, () => {
    site.isBroken = true
  })
  equal(await site.takesUntilBuilt(orderOf(2)), 0)
})

test('no second build starts for a cancelled block', async () => {
  const site = await experienced(300)
  site.takesMs = 100
  await site.announced(orderOf(2), 800)
  site.ahead.onHead(OTHER_HASH)
  site.clock.advance(PERIOD_MS)
  equal(site.startedMs.length, 2)
})

test('a fast build starts when the block is due', async () => {
  const site = await experienced(10)
  const dueMs = site.clock.monotonicMs() + PERIOD_MS
  equal(await site.period(orderOf(2)), 10)
  deepEqual(site.startedMs.slice(1), [dueMs])
})

test('no build starts in the first half of the period', async () => {
  const site = await experienced(900)
  const beginMs = site.clock.monotonicMs()
  equal(await site.period(orderOf(2)), 400)
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS / 2])
})

test('a build that is announced late starts at once', async () => {
  const site = await experienced()
  const nowMs = site.clock.monotonicMs()
  site.ahead.expect(orderOf(2), { inMs: 120, periodMs: PERIOD_MS })
  site.clock.advance(120)
  equal(await site.takesUntilBuilt(orderOf(2)), 80)
  deepEqual(site.startedMs.slice(1), [nowMs])
})

test('an empty block is built again when it is due', async () => {
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
  test(`a block with another ${what} than announced is built when it is requested`, async () => {
    const site = await experienced()
    site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
    site.clock.advance(PERIOD_MS - 100)
    equal(await site.takesUntilBuilt({ ...orderOf(2), ...more }), 200)
    deepEqual([site.startedMs.length, site.aborted], [3, 1])
  })
}

test('a build ends when the head moves elsewhere, and continues on the same parent', async () => {
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

test('a repeated announcement moves the start of a build, but does not restart it', async () => {
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

test('a build that failed early is retried when it is due, and reports its error then', async () => {
  const site = await experienced()
  site.isBroken = true
  site.ahead.expect(orderOf(2), { inMs: PERIOD_MS, periodMs: PERIOD_MS })
  site.clock.advance(PERIOD_MS)
  await rejects(site.takesUntilBuilt(orderOf(2)), /The disk is full/)
  site.isBroken = false
  equal(await site.takesUntilBuilt(orderOf(2)), 200)
})

test('a requested build can be cancelled', async () => {
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

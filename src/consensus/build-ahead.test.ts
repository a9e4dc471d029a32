import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitForMore } from '#chain/build/candidates.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { parseHash } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import { BuildAhead } from './build-ahead.ts'
import type { BuildOrder } from './driver-parts.ts'

const PERIOD_MS = 1_000
const LATE_MS = 850
const STEP_MS = 1
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
  /** When builds that were begun early continued with late transactions. */
  readonly continuedMs: number[] = []
  executesMs = 100
  completesMs = 100
  transactions = 1
  isBroken = false
  aborted = 0
  readonly ahead = new BuildAhead(this.clock, (_order, signal, waitForMore) =>
    this.#build(signal, waitForMore),
  )

  async #build(signal: AbortSignal, waitForMore?: WaitForMore): Promise<ProposedBlock> {
    this.startedMs.push(this.clock.monotonicMs())
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => {
      this.aborted += 1
      reject(new Error('The block is not wanted any more.'))
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([aborted, this.#steps(waitForMore)])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #steps(waitForMore?: WaitForMore): Promise<ProposedBlock> {
    let { transactions } = this
    const { isBroken } = this
    await this.#works(this.executesMs)
    if (isBroken) throw new Error('The disk is full.')
    if (await waitForMore?.(transactions)) {
      this.continuedMs.push(this.clock.monotonicMs())
      transactions = this.transactions
    }
    await this.#works(this.completesMs)
    return blockOf(transactions)
  }

  #works(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve))
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
      this.clock.advance(STEP_MS)
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
    await this.passes(Math.min(forMs, LATE_MS))
    late?.()
    await this.passes(forMs - LATE_MS)
  }

  async passes(ms: number): Promise<void> {
    for (let gone = 0; gone < ms; gone += STEP_MS) {
      this.clock.advance(STEP_MS)
      await turns()
    }
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A site that knows how long a block takes. */
async function experienced(executesMs = 100, completesMs = 100): Promise<Site> {
  const site = new Site()
  Object.assign(site, { executesMs, completesMs })
  equal(await site.period(orderOf(1)), executesMs + completesMs)
  return site
}

test('a build starts as early as the last one took, plus a quarter', async () => {
  const site = await experienced()
  const beginMs = site.clock.monotonicMs()
  await site.period(orderOf(2))
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS - 250])
})

test('the slowest of the last eight builds counts, without the time in which they waited', async () => {
  const site = await experienced(200, 100)
  Object.assign(site, { executesMs: 40, completesMs: 40 })
  for (let height = 2; height <= 9; height++) await site.period(orderOf(height))
  const beginMs = site.clock.monotonicMs()
  await site.period(orderOf(10))
  equal(site.startedMs.at(-2), beginMs - 375)
  equal(site.startedMs.at(-1), beginMs + PERIOD_MS - 100)
})

test('a block waits for late transactions and is completed just in time, in one build', async () => {
  const site = await experienced(200, 100)
  Object.assign(site, { executesMs: 40, completesMs: 40 })
  await site.period(orderOf(2))
  const beginMs = site.clock.monotonicMs()
  await site.announced(orderOf(3), PERIOD_MS, () => {
    site.transactions = 7
  })
  equal(transactionCount(await site.ahead.build(orderOf(3), new AbortController().signal)), 7)
  deepEqual(
    [site.startedMs.at(-1), site.continuedMs.at(-1)].map((ms) => ms! - beginMs),
    [PERIOD_MS - 375, PERIOD_MS - 50],
  )
  equal(site.startedMs.length, 3)
})

test('the slowest of the last three completions counts', async () => {
  const site = await experienced(200, 100)
  site.executesMs = 40
  await site.period(orderOf(2))
  site.completesMs = 40
  for (let height = 3; height <= 5; height++) await site.period(orderOf(height))
  const dueMs = site.clock.monotonicMs() + PERIOD_MS
  await site.period(orderOf(6))
  deepEqual(
    site.continuedMs.slice(-2).map((ms) => ms - dueMs),
    [-PERIOD_MS - 125, -50],
  )
})

test('a block gets at least the time of its execution for its completion', async () => {
  const site = await experienced(200, 100)
  Object.assign(site, { executesMs: 160, completesMs: 40 })
  const dueMs = site.clock.monotonicMs() + PERIOD_MS
  equal(await site.period(orderOf(2)), 0)
  equal(site.continuedMs.at(-1), dueMs - 200)
})

test('a block without time for late transactions is completed at once', async () => {
  const site = await experienced()
  site.executesMs = 200
  equal(await site.period(orderOf(2)), 50)
  deepEqual(site.continuedMs, [])
})

test('a block requested during its wait is completed at once', async () => {
  const site = await experienced(200, 100)
  Object.assign(site, { executesMs: 40, completesMs: 40 })
  await site.announced(orderOf(2), 800)
  equal(await site.takesUntilBuilt(orderOf(2)), 40)
  deepEqual([site.startedMs.length, site.continuedMs.length], [2, 0])
})

test('a cancelled block waits no longer', async () => {
  const site = await experienced(200, 100)
  site.executesMs = 40
  await site.announced(orderOf(2), 800)
  equal(site.clock.pendingTimers, 1)
  site.ahead.onHead(OTHER_HASH)
  deepEqual([site.clock.pendingTimers, site.aborted], [0, 1])
})

test('a fast build starts when the block is due', async () => {
  const site = await experienced(3, 3)
  const dueMs = site.clock.monotonicMs() + PERIOD_MS
  equal(await site.period(orderOf(2)), 6)
  deepEqual(site.startedMs.slice(1), [dueMs])
})

test('no build starts in the first half of the period', async () => {
  const site = await experienced(500, 400)
  const beginMs = site.clock.monotonicMs()
  equal(await site.period(orderOf(2)), 400)
  deepEqual(site.startedMs.slice(1), [beginMs + PERIOD_MS / 2])
})

test('a build that is announced late starts at once', async () => {
  const site = await experienced()
  const nowMs = site.clock.monotonicMs()
  site.ahead.expect(orderOf(2), { inMs: 120, periodMs: PERIOD_MS })
  await site.passes(120)
  equal(await site.takesUntilBuilt(orderOf(2)), 80)
  deepEqual(site.startedMs.slice(1), [nowMs])
})

test('an empty block waits until it is requested, and then takes late transactions', async () => {
  const site = await experienced()
  site.transactions = 0
  await site.announced(orderOf(2))
  site.transactions = 1
  equal(await site.takesUntilBuilt(orderOf(2)), 100)
  equal(site.startedMs.length, 2)
})

test('a block that is still empty when it is requested is not built again', async () => {
  const site = await experienced()
  site.transactions = 0
  equal(await site.period(orderOf(2)), 100)
  equal(site.startedMs.length, 2)
})

test('an empty block that was requested before it was executed is completed at once', async () => {
  const site = await experienced()
  Object.assign(site, { transactions: 0, executesMs: 400, completesMs: 10 })
  equal(await site.period(orderOf(2)), 160)
  equal(site.startedMs.length, 2)
})

test('an empty block that is executed long after it was due does not fail', async () => {
  const site = await experienced()
  Object.assign(site, { transactions: 0, executesMs: 400 })
  await site.announced(orderOf(2), PERIOD_MS + 300)
  equal(site.continuedMs.length, 1)
  site.transactions = 1
  site.executesMs = 100
  equal(await site.takesUntilBuilt(orderOf(2)), 200)
})

test('an empty block that is never requested occupies the writer no longer than 20 ms', async () => {
  const site = await experienced()
  site.transactions = 0
  await site.announced(orderOf(2), PERIOD_MS + 50)
  deepEqual(site.continuedMs, [site.clock.monotonicMs() - 30])
})

test('a completed empty block is built again when it is requested', async () => {
  const site = await experienced()
  site.transactions = 0
  await site.announced(orderOf(2), PERIOD_MS + 200)
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
  await site.passes(500)
  site.ahead.expect(orderOf(2), { inMs: 500, periodMs: PERIOD_MS })
  await site.passes(300)
  site.ahead.expect(orderOf(2), { inMs: 200, periodMs: PERIOD_MS })
  await site.passes(200)
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
  site.executesMs = 500
  site.clock.advance(PERIOD_MS)
  const cancel = new AbortController()
  const built = site.ahead.build(orderOf(2), cancel.signal)
  cancel.abort()
  await rejects(built, /not wanted any more/)
  deepEqual([site.startedMs.length, site.aborted], [2, 1])
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rpcFault } from '#jsonrpc/errors.ts'
import { CallerLimits } from '#jsonrpc/limits/call-limits.ts'
import { shareBuckets } from '#jsonrpc/limits/shared-buckets.ts'
import { readUserLimits, userLimitList } from '#jsonrpc/limits/user-limits.ts'
import { connectPort, createPortPair } from '#platform/channel/port-pair.ts'
import { systemClock as clock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { parseHash } from '#types/hash.ts'
import { EnginePool } from './engine-pool.ts'
import type { EngineOffers, ExecuteAnswer, ExecuteRequest, Fetching } from './engine-protocol.ts'

const log = createLog({ level: 'OFF' })
const PART = { name: '0:8', bytes: 65_536 }
const HEAD = { sequence: 1, number: 0, hash: parseHash('0'.repeat(64)) }

/** A pool whose engines answer what the test decides. */
function setUp(
  t: TestContext,
  waitingMax = 1_024,
  callLimits?: CallerLimits,
  startEngines = () => Promise.resolve(),
) {
  const pool = new EnginePool({ clock, log, head: () => HEAD, startEngines, waitingMax, callLimits })
  const connect = (
    execute: (request: ExecuteRequest<typeof HEAD>) => Promise<ExecuteAnswer> | ExecuteAnswer,
    fetched: (id: number) => Promise<null> = () => Promise.resolve(null),
    chunks: () => AsyncGenerator<string | Fetching> = async function* () {
      yield '["0x1"'
      yield ',"0x2"]'
    },
  ) => {
    const [here, there] = createPortPair()
    const options = { clock, onError: () => assert.fail() }
    const requests = { execute, fetched: ({ id }: { readonly id: number }) => fetched(id) }
    const handlers = { requests, streams: { chunks } }
    const engine = connectPort<EngineOffers<typeof HEAD>, Record<never, never>>(there, handlers, options)
    pool.connect('engine-0', here)
    t.after(() => engine.close())
    return engine
  }
  const run = (
    params: readonly unknown[] = [],
    signal = new AbortController().signal,
    account?: string,
    remoteAddress?: string,
  ) => pool.execute('eth_call', params, { signal, caller: { mayCall: () => true, account }, remoteAddress })
  return { connect, run }
}

test('a request goes to an engine as it came, with the head of the server', async (t) => {
  const { connect, run } = setUp(t)
  connect(({ method, params, head }) => ({
    kind: 'text',
    text: JSON.stringify([method, params, head?.number]),
  }))
  assert.equal(await run(['0x1', null]), '["eth_call",["0x1",null],0]')
})

test('a result in chunks is read on the same line', async (t) => {
  const { connect, run } = setUp(t)
  connect(() => ({ kind: 'stream', id: 1 }))
  const chunks = await run()
  assert(typeof chunks !== 'string')
  assert.equal((await Array.fromAsync(chunks)).join(''), '["0x1","0x2"]')
})

test('requests whose data is being fetched leave their engine to others, and run again afterwards', async (t) => {
  const { connect, run } = setUp(t)
  const fetches = new Map<number, PromiseWithResolvers<null>>()
  let arrived = false
  connect(
    ({ params: [name] }) => {
      if (name === 'recent' || arrived) return { kind: 'text', text: `"${name}"` }
      fetches.set(fetches.size, Promise.withResolvers<null>())
      return { kind: 'fetching', id: fetches.size - 1, part: PART }
    },
    (id) => fetches.get(id)!.promise,
  )
  const leaving = new AbortController()
  const old = Array.from({ length: 20 }, (_, at) => run(['old'], at === 0 ? leaving.signal : undefined))
  assert.equal(await run(['recent']), '"recent"')
  assert.equal(fetches.size, 20)
  leaving.abort(new Error('left'))
  await assert.rejects(old[0]!, { message: 'left' })
  fetches.get(1)!.reject(rpcFault('HISTORY_ARCHIVE_UNAVAILABLE'))
  await assert.rejects(old[1]!, { kind: 'HISTORY_ARCHIVE_UNAVAILABLE' })
  arrived = true
  for (const { resolve } of fetches.values()) resolve(null)
  assert.deepEqual(await Promise.all(old.slice(2)), Array(18).fill('"old"'))
})

test('a result in chunks starts again if its data is fetched before the first chunk', async (t) => {
  const { connect, run } = setUp(t)
  let attempts = 0
  const chunks = async function* () {
    attempts++
    if (attempts < 3) yield { kind: 'fetching', id: attempts, part: PART } as const
    else yield '["0x1"]'
  }
  const fetched: number[] = []
  connect(
    () => ({ kind: 'stream', id: 1 }),
    async (id) => {
      fetched.push(id)
      return null
    },
    chunks,
  )
  const result = await run()
  assert(typeof result !== 'string')
  assert.deepEqual(await Array.fromAsync(result), ['["0x1"]'])
  assert.deepEqual(fetched, [1, 2])
})

test('a request that fetches the same part again and again ends', async (t) => {
  const { connect, run } = setUp(t)
  let attempts = 0
  connect(() => {
    attempts++
    return { kind: 'fetching', id: 1, part: PART }
  })
  await assert.rejects(run(), { kind: 'READS_TOO_MUCH' })
  assert.ok(attempts < 1_000, `${attempts} attempts`)
})

test('an exception of a method arrives unchanged', async (t) => {
  const { connect, run } = setUp(t)
  connect(() => {
    throw rpcFault('REVERT_ERROR', { data: '0x08c379a0' })
  })
  const error = await run().catch((thrown) => thrown)
  assert.deepEqual([error.kind, error.data.data], ['REVERT_ERROR', '0x08c379a0'])
})

test('engines are started for the first request that waits, once, and again where that failed', async (t) => {
  const starts: PromiseWithResolvers<void>[] = []
  const { connect, run } = setUp(t, 1_024, undefined, () => {
    starts.push(Promise.withResolvers<void>())
    return starts.at(-1)!.promise
  })
  const answers = [run(), run()]
  assert.equal(starts.length, 1)
  starts[0]!.reject(new Error('no memory'))
  await new Promise(setImmediate)
  answers.push(run())
  assert.equal(starts.length, 2)
  connect(() => ({ kind: 'text', text: '"0x"' }))
  starts[1]!.resolve()
  assert.deepEqual(await Promise.all(answers), ['"0x"', '"0x"', '"0x"'])
  assert.equal(await run(), '"0x"')
  assert.equal(starts.length, 2)
})

test('requests wait for an engine that is not there yet, within a limit', async (t) => {
  const { connect, run } = setUp(t, 2)
  const waiting = [run(), run()]
  await assert.rejects(run(), { kind: 'LIMIT_EXCEEDED' })
  connect(() => ({ kind: 'text', text: '1' }))
  assert.deepEqual(await Promise.all(waiting), ['1', '1'])
})

test('a client that leaves sets the cell of its request, or gives up its place', async (t) => {
  const { connect, run } = setUp(t)
  const leaving = new AbortController()
  const waits = run([], leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(waits, { message: 'left' })

  const begun = Promise.withResolvers<Int32Array>()
  connect(({ cancel }) => {
    begun.resolve(cancel!)
    return new Promise(() => undefined)
  })
  const client = new AbortController()
  const running = run([], client.signal)
  const cell = await begun.promise
  assert.equal(Atomics.load(cell, 0), 0)
  client.abort(new Error('left'))
  await assert.rejects(running, { message: 'left' })
  assert.equal(Atomics.load(cell, 0), 1)
})

test('shared memory is sent once and reused, but never after an abandoned or failed request', async (t) => {
  const { connect, run } = setUp(t)
  const cells: Int32Array[] = []
  const seen: { readonly cell: number; readonly isNew: boolean; readonly value: number }[] = []
  const begun = Promise.withResolvers<void>()
  connect(({ cell, cancel, params }) => {
    if (cancel !== undefined) cells[cell] = cancel
    seen.push({ cell, isNew: cancel !== undefined, value: Atomics.load(cells[cell]!, 0) })
    if (params[0] === 'fail') throw rpcFault('REVERT_ERROR')
    if (params[0] !== 'wait') return { kind: 'text', text: '1' }
    begun.resolve()
    return new Promise(() => undefined)
  })
  await run()
  await run()
  await assert.rejects(run(['fail']), { kind: 'REVERT_ERROR' })
  const client = new AbortController()
  const running = run(['wait'], client.signal)
  await begun.promise
  client.abort(new Error('left'))
  await assert.rejects(running, { message: 'left' })
  await run()
  const [first] = seen
  assert.deepEqual(
    seen.map(({ cell, isNew, value }) => [cell === first!.cell, isNew, value]),
    [
      [true, true, 0],
      [true, false, 0],
      [true, false, 0],
      [true, true, 0],
      [true, true, 0],
    ],
  )
})

test('a head is sent until an engine has answered a request with it', async (t) => {
  const { connect, run } = setUp(t)
  const told: boolean[] = []
  connect(({ head, params }) => {
    told.push(head !== undefined)
    if (params[0] === 'fail') throw rpcFault('REVERT_ERROR')
    return { kind: 'text', text: '1' }
  })
  await assert.rejects(run(['fail']))
  await run()
  await run()
  assert.deepEqual(told, [true, true, false])
})

test('requests of an ended engine get a clear error, and others continue', async (t) => {
  const { connect, run } = setUp(t)
  const held = Promise.withResolvers<void>()
  const dying = connect(() => {
    held.resolve()
    return new Promise(() => undefined)
  })
  const lost = run()
  await held.promise
  connect(() => ({ kind: 'text', text: '7' }))
  dying.close()
  await assert.rejects(lost, { kind: 'INTERNAL_ERROR', message: /engine thread ended/ })
  assert.equal(await run(), '7')
})

test('the least busy engine gets the request', async (t) => {
  const { connect, run } = setUp(t)
  const asked = [0, 0]
  const all = Promise.withResolvers<void>()
  for (const index of [0, 1]) {
    connect(() => {
      asked[index]!++
      if (asked[0]! + asked[1]! === 4) all.resolve()
      return new Promise(() => undefined)
    })
  }
  const client = new AbortController()
  const running = Array.from({ length: 4 }, () => run([], client.signal))
  await all.promise
  assert.deepEqual(asked, [2, 2])
  client.abort(new Error('left'))
  await Promise.allSettled(running)
})

/** Engines that do nothing until they are told; who was asked, in order. */
function slowEngines(connect: ReturnType<typeof setUp>['connect'], count: number) {
  const asked: unknown[][] = Array.from({ length: count }, () => [])
  const running: (() => void)[] = []
  for (const own of asked) {
    connect(({ params }) => {
      own.push(params[0])
      return new Promise((resolve) => running.push(() => resolve({ kind: 'text', text: '1' })))
    })
  }
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const finishOne = async (): Promise<void> => {
    running.shift()!()
    await settled()
  }
  return { asked, running, settled, finishOne }
}

function limitsOf(option: string): CallerLimits {
  const limits = readUserLimits(userLimitList.parse(option))!
  const metrics = createMetrics({ prefix: '', onSourceError: () => assert.fail() })
  return new CallerLimits({ limits, shared: shareBuckets(new Uint8Array(32)), clock, metrics, log })
}

test("a caller after another caller's flood waits for running calls, not for waiting ones", async (t) => {
  const { connect, run } = setUp(t)
  const { asked, settled, finishOne } = slowEngines(connect, 1)
  const calls = Array.from({ length: 20 }, () => run(['flood'], undefined, 'flood'))
  calls.push(run(['quiet'], undefined, 'quiet'))
  await settled()
  assert.deepEqual(asked[0], ['flood', 'flood', 'flood', 'flood'])
  await finishOne()
  await finishOne()
  assert.deepEqual(asked[0]!.slice(4), ['flood', 'quiet'])
  for (let left = 0; left < 19; left++) await finishOne()
  await Promise.all(calls)
})

test('a caller with many IPv6 addresses has one turn', async (t) => {
  const { connect, run } = setUp(t)
  const { asked, settled, finishOne } = slowEngines(connect, 1)
  const calls = Array.from({ length: 20 }, (_, at) =>
    run(['flood'], undefined, undefined, `2001:db8::${at.toString(16)}`),
  )
  calls.push(run(['quiet'], undefined, undefined, '2001:db8:1::1'))
  await settled()
  await finishOne()
  await finishOne()
  assert.deepEqual(asked[0]!.slice(4), ['flood', 'quiet'])
  for (let left = 0; left < 19; left++) await finishOne()
  await Promise.all(calls)
})

test('with limits a flood leaves one of several engines to others, and has two places on the only one', async (t) => {
  for (const [engines, expected] of [
    [1, [['flood', 'flood', 'quiet']]],
    [2, [Array(4).fill('flood'), ['quiet']]],
  ] as const) {
    const { connect, run } = setUp(t, undefined, limitsOf('requests=6000'))
    const { asked, settled } = slowEngines(connect, engines)
    const client = new AbortController()
    const calls = Array.from({ length: 20 }, () => run(['flood'], client.signal, 'flood'))
    await settled()
    calls.push(run(['quiet'], client.signal, 'quiet'))
    await settled()
    assert.deepEqual(asked, expected)
    client.abort(new Error('left'))
    await Promise.allSettled(calls)
    const after = run(['flood'], undefined, 'flood')
    await settled()
    assert.equal(asked[0]!.at(-1), 'flood', 'places that were given up are free again')
    after.catch(() => undefined)
  }
})

test('with limits one caller has so many places in the queue, and others find room', async (t) => {
  const { run } = setUp(t, undefined, limitsOf('requests=6000'))
  const client = new AbortController()
  const waiting = Array.from({ length: 128 }, () => run([], client.signal, 'flood'))
  await assert.rejects(run([], client.signal, 'flood'), { kind: 'LIMIT_EXCEEDED' })
  const other = run([], client.signal, 'quiet')
  client.abort(new Error('left'))
  await assert.rejects(other, { message: 'left' })
  await Promise.allSettled(waiting)
})

test('a call whose caller used up its execution while it waited is refused, and its place is free', async (t) => {
  const limits = limitsOf('engine-seconds=6')
  const { connect, run } = setUp(t, undefined, limits)
  const { asked, settled, finishOne } = slowEngines(connect, 1)
  const calls = Promise.allSettled(Array.from({ length: 4 }, () => run(['flood'], undefined, 'flood')))
  await settled()
  limits.chargeEngine({ caller: { mayCall: () => true, account: 'flood' } }, 60_000)
  await finishOne()
  await finishOne()
  const outcomes = await calls
  assert.deepEqual(
    outcomes.map((each) => (each.status === 'rejected' ? each.reason.data.data.limit : each.value)),
    ['1', '1', 'engine-seconds', 'engine-seconds'],
  )
  const other = run(['quiet'], undefined, 'quiet')
  await settled()
  await finishOne()
  assert.equal(await other, '1')
  assert.deepEqual(asked[0], ['flood', 'flood', 'quiet'])
})

test('an engine thread that ends by a call is charged to its caller', async (t) => {
  const limits = limitsOf('engine-seconds=1')
  const { connect, run } = setUp(t, undefined, limits)
  const begun = Promise.withResolvers<void>()
  const dying = connect(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  const lost = run([], undefined, 'alice')
  await begun.promise
  await new Promise((resolve) => setTimeout(resolve, 200))
  dying.close()
  await assert.rejects(lost, { kind: 'INTERNAL_ERROR' })
  assert.throws(() => limits.admitToEngine({ caller: { mayCall: () => true, account: 'alice' } }), {
    kind: 'LIMIT_EXCEEDED',
  })
})

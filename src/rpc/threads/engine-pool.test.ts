import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentLog as log } from '#chain/chain.fixture.ts'
import { connectPort, createPortPair } from '#platform/channel/port-pair.ts'
import { systemClock as clock } from '#platform/clock.ts'
import { rpcFault } from '#rpc/errors.ts'
import { parseHash } from '#types/hash.ts'
import { EnginePool } from './engine-pool.ts'
import type { EngineOffers, ExecuteAnswer, ExecuteRequest } from './engine-protocol.ts'

const HEAD = { sequence: 1, number: 0, hash: parseHash('0'.repeat(64)) }

/** A pool whose engines answer what the test decides. */
function setUp(t: TestContext, waitingMax = 1_024) {
  const pool = new EnginePool({ clock, log, head: () => HEAD, waitingMax })
  const connect = (execute: (request: ExecuteRequest) => Promise<ExecuteAnswer> | ExecuteAnswer) => {
    const [here, there] = createPortPair()
    const chunks = async function* () {
      yield '["0x1"'
      yield ',"0x2"]'
    }
    const options = { clock, onError: () => assert.fail() }
    const handlers = { requests: { execute }, streams: { chunks } }
    const engine = connectPort<EngineOffers, Record<never, never>>(there, handlers, options)
    pool.connect('engine-0', here)
    t.after(() => engine.close())
    return engine
  }
  const run = (params: readonly unknown[] = [], signal = new AbortController().signal) =>
    pool.execute('eth_call', params, { signal })
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

test('what a method throws arrives as it was', async (t) => {
  const { connect, run } = setUp(t)
  connect(() => {
    throw rpcFault('REVERT_ERROR', { data: '0x08c379a0' })
  })
  const error = await run().catch((thrown) => thrown)
  assert.deepEqual([error.kind, error.data.data], ['REVERT_ERROR', '0x08c379a0'])
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

test('shared memory is sent once and used again, but never that of a request that was given up or failed', async (t) => {
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

test('a head is sent until an engine has answered a request that told it', async (t) => {
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

test('an engine that ends answers what it had with a clear error; others go on', async (t) => {
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

test('the engine that has least to do is asked', async (t) => {
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

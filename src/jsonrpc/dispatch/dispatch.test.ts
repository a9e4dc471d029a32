import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { any, string } from 'zod'
import { rpcFault } from '#jsonrpc/errors.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import { deadlineFault } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import { chunksOf, declare, defineMethod, error, settle, setUp } from './dispatch.fixture.ts'
import type { DispatcherOptions } from './dispatch.ts'
import type { RemoteEngine } from './remote-engine.ts'

const PARSE_ERROR = error('null', -32700, 'Parse error')
const INVALID_REQUEST = error('null', -32600, 'Invalid Request')

function engineOf(execute: RemoteEngine['execute']): RemoteEngine {
  return { headSequence: () => 1, execute }
}

test('a request is answered under its id', async () => {
  const { dispatch, counted, lines } = setUp([])
  assert.deepEqual(await dispatch('{"jsonrpc":"2.0","id":"x","method":"test_echo","params":[{"a":[1]}]}'), {
    kind: 'single',
    error: null,
    body: '{"jsonrpc":"2.0","id":"x","result":{"a":[1]}}',
  })
  assert.deepEqual(counted, ['test_echo 0 ms'])
  assert.deepEqual(lines, [])
})

test('a result of null is written', async () => {
  const { dispatch } = setUp([declare('test_null', async () => null)])
  const [body] = await chunksOf(await dispatch('{"id":1,"method":"test_null"}'))
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"result":null}')
})

test('a notification is not executed', async () => {
  const { dispatch } = setUp([declare('test_fail', () => assert.fail())])
  assert.deepEqual(await dispatch('{"method":"test_fail"}'), { kind: 'nothing' })
  assert.deepEqual(await dispatch('{"method":"nope"}', { transport: 'websocket' }), { kind: 'nothing' })
})

test('unknown and disabled come before the grant, the grant before the parameters', async () => {
  const { dispatch, counted } = setUp([])
  const asked: string[] = []
  const caller = {
    mayCall: (method: string) => {
      asked.push(method)
      return false
    },
  }
  const kindOf = async (method: string) => {
    const answer = await dispatch(`{"id":1,"method":"${method}"}`, { caller })
    return answer.kind === 'single' ? answer.error : assert.fail()
  }
  assert.equal(await kindOf('nope'), 'METHOD_NOT_FOUND')
  assert.equal(await kindOf('miner_start'), 'METHOD_NOT_ENABLED')
  assert.equal(await kindOf('test_echo'), 'UNAUTHORIZED')
  assert.deepEqual(asked, ['test_echo'])
  assert.deepEqual(counted, ['miner_start METHOD_NOT_ENABLED', 'test_echo UNAUTHORIZED'])
})

test('messages that are not requests are refused by the rules of each transport', async () => {
  const { dispatch } = setUp([])
  const cases: [message: string, http: string, webSocket: string][] = [
    ['', PARSE_ERROR, INVALID_REQUEST],
    [' ', PARSE_ERROR, PARSE_ERROR],
    ['hello', PARSE_ERROR, PARSE_ERROR],
    ['1', PARSE_ERROR, PARSE_ERROR],
    ['null', INVALID_REQUEST, INVALID_REQUEST],
    ['{}', INVALID_REQUEST, INVALID_REQUEST],
    ['[]', INVALID_REQUEST, '[]'],
    ['[1,null]', `[${INVALID_REQUEST},${INVALID_REQUEST}]`, `[${INVALID_REQUEST},${INVALID_REQUEST}]`],
    ['[{"method":"test_echo"}]', '[]', '[]'],
  ]
  for (const [message, http, webSocket] of cases) {
    assert.deepEqual(await chunksOf(await dispatch(message)), [http], `HTTP ${message}`)
    const heard = await dispatch(message, { transport: 'websocket' })
    assert.deepEqual(await chunksOf(heard), [webSocket], `WebSocket ${message}`)
  }
})

test('refusing a message differs from refusing a request', async () => {
  const { dispatch } = setUp([])
  for (const message of ['x', '[]', '[1,2,3,4]']) {
    const answer = await dispatch(message)
    assert(answer.kind === 'single' && answer.isRefusal, message)
  }
  for (const message of ['{}', 'null', '{"method":"nope","id":1}']) {
    const answer = await dispatch(message)
    assert(answer.kind === 'single' && answer.error !== null && !answer.isRefusal, message)
  }
})

test('faults of a method are answered, bugs are logged with their stack and answered as such', async () => {
  const { dispatch, lines, counted } = setUp([
    declare('test_revert', () => {
      throw rpcFault('REVERT_ERROR', { reason: 'why', data: '0x01' })
    }),
    declare('test_bug', async () => {
      throw new TypeError('x is undefined')
    }),
    declare('test_nothing', () => undefined),
    declare('test_bigint', () => 1n),
  ])
  const [reverted] = await chunksOf(await dispatch('{"id":1,"method":"test_revert"}'))
  assert.equal(
    reverted,
    '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"Execution reverted (why)","data":"0x01"}}',
  )
  for (const method of ['test_bug', 'test_nothing', 'test_bigint']) {
    lines.length = 0
    const answer = await dispatch(`{"id":1,"method":"${method}","params":["secret"]}`)
    assert.deepEqual(answer, {
      kind: 'single',
      error: 'INTERNAL_ERROR',
      body: error('1', -32603, 'Internal error'),
    })
    assert.equal(lines.length, 1)
    assert.deepEqual(lines[0]!.fields, { requestId: 'request-7', method })
    assert.equal(lines[0]!.level, 'ERROR')
    assert.match(JSON.stringify(lines[0]!.err), /stack/)
  }
  assert.deepEqual(counted.slice(0, 2), ['test_revert REVERT_ERROR', 'test_revert 0 ms'])
})

test('a failed request is one line with its id and method, and nothing it carried', async () => {
  const { dispatch, lines } = setUp([])
  await dispatch(`{"id":1,"method":"${'m'.repeat(1_000)}","params":["secret"]}`, {
    traceparent: '00-ab-cd-01',
  })
  assert.equal(lines.length, 1)
  assert.deepEqual(lines[0]!.fields, {
    requestId: 'request-7',
    method: 'm'.repeat(64),
    traceparent: '00-ab-cd-01',
    error: 'METHOD_NOT_FOUND',
  })
  assert.doesNotMatch(JSON.stringify(lines), /secret/)
})

test('a signal ends the wait for a method that does not look at it; only time that is up is a warning', async () => {
  const { dispatch, lines } = setUp([declare('test_never', () => new Promise(() => undefined))])
  for (const [reason, line] of [
    [deadlineFault(1_000), ['WARN', 'Request timed out']],
    [
      platformFault('CANCELLED', { sentence: 'The client closed.' }),
      ['DEBUG', 'Client disconnected before the answer'],
    ],
  ] as const) {
    lines.length = 0
    const controller = new AbortController()
    const answer = dispatch('{"id":1,"method":"test_never"}', { signal: controller.signal })
    controller.abort(reason)
    assert.deepEqual(await answer, {
      kind: 'single',
      error: 'TIMEOUT_ERROR',
      body: error('1', -32603, 'Timeout expired'),
    })
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [line],
    )
  }
})

test('a method is handed the signal', async () => {
  const controller = new AbortController()
  const { dispatch } = setUp([
    declare('test_signal', (_resources, _values, { signal }) => signal === controller.signal),
  ])
  const [body] = await chunksOf(
    await dispatch('{"id":1,"method":"test_signal"}', { signal: controller.signal }),
  )
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"result":true}')
})

test('answers to single requests over HTTP can be indented as Besu does it', async () => {
  const { dispatch } = setUp([], { prettyPrint: true })
  const request = '{"id":1.0,"method":"test_echo","params":[{"a":[1,{}]}]}'
  const [body] = await chunksOf(await dispatch(request))
  assert.equal(body, '{\n  "jsonrpc" : "2.0",\n  "id" : 1.0,\n  "result" : {\n    "a" : [ 1, { } ]\n  }\n}')
  const compact = '{"jsonrpc":"2.0","id":1.0,"result":{"a":[1,{}]}}'
  assert.deepEqual(await chunksOf(await dispatch(request, { transport: 'websocket' })), [compact])
  assert.deepEqual(await chunksOf(await dispatch(`[${request}]`)), [`[${compact}]`])
})

test('a dispatcher never rejects', async () => {
  const { dispatch, lines } = setUp([])
  const caller = {
    mayCall: (): boolean => {
      throw new Error('broken')
    },
  }
  const answer = await dispatch('{"id":1,"method":"test_echo"}', { caller })
  assert(answer.kind === 'single' && answer.error === 'INTERNAL_ERROR')
  assert.equal(lines.length, 1)
})

test('a method that needs a missing resource is found at start', () => {
  const needy = { ...declare('test_needy', () => null), needs: ['pool' as 'node'] }
  assert.throws(() => setUp([needy]), /test_needy is handed 'pool'/)
})

test('a method that needs an engine runs on an engine thread if this thread has none', async () => {
  const method = { ...declare('test_engine', () => 'here'), needs: ['chain', 'engine'] as const }
  const calls: unknown[] = []
  const remoteEngine = engineOf(async (name, params) => {
    calls.push([name, params])
    return '"there"'
  })
  const { dispatch } = setUp([method], { remoteEngine })
  const [body] = await chunksOf(await dispatch('{"id":1,"method":"test_engine","params":["0x1",{}]}'))
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"result":"there"}')
  assert.deepEqual(calls, [['test_engine', ['0x1', {}]]])
})

test('chunks and errors of an engine thread are answered like local ones', async () => {
  const method = { ...declare('test_engine', () => 'here'), needs: ['engine'] as const }
  async function* chunks() {
    yield '[1'
    yield ',2]'
  }
  const streaming = setUp([method], { remoteEngine: engineOf(async () => chunks()) })
  const request = '{"id":1,"method":"test_engine"}'
  assert.equal(
    (await chunksOf(await streaming.dispatch(request))).join(''),
    '{"jsonrpc":"2.0","id":1,"result":[1,2]}',
  )
  const failing = setUp([method], {
    remoteEngine: engineOf(async () => Promise.reject(rpcFault('NONCE_TOO_LOW'))),
  })
  assert.deepEqual(await chunksOf(await failing.dispatch(request)), [error('1', -32001, 'Nonce too low')])
})

test('a method that needs an engine is handed a cell that is set when the client leaves', async () => {
  const cells: (Int32Array | undefined)[] = []
  const method: Method = {
    ...declare('test_engine', (_resources, _values, { cancel }) => {
      cells.push(cancel)
      return new Promise(() => undefined)
    }),
    needs: ['chain', 'engine'],
  }
  const base = setUp([])
  const chain = { head: () => ({}) } as never
  const { dispatch } = setUp([method], { resources: { ...base.resources, chain, engine: {} as never } })
  const client = new AbortController()
  const answer = dispatch('{"id":1,"method":"test_engine"}', { signal: client.signal })
  await settle()
  assert.deepEqual([...cells[0]!], [0])
  client.abort()
  await answer
  assert.deepEqual([...cells[0]!], [1])
})

test('an answered request leaves nothing behind on the signal of its client', async () => {
  async function* chunks() {
    yield '[1'
    yield ']'
  }
  async function* early(_resources: unknown, { value }: Readonly<Record<string, unknown>>) {
    if (value === undefined) throw rpcFault('UNKNOWN_BLOCK')
    yield '1'
  }
  const needs = ['chain', 'engine'] as const
  const methods: Method[] = [
    { ...declare('test_value', () => 'value'), needs },
    { ...declare('test_chunks', () => chunks()), needs },
    { ...declare('test_failure', () => Promise.reject(rpcFault('UNKNOWN_BLOCK'))), needs },
    { ...declare('test_early', early), needs },
  ]
  const base = setUp([])
  const chain = { head: () => ({}), lookup: { isCanonical: () => true } } as never
  const { dispatch } = setUp(methods, { resources: { ...base.resources, chain, engine: {} as never } })
  const { signal } = new AbortController()
  for (const { name } of methods) {
    await chunksOf(await dispatch(`{"id":1,"method":"${name}"}`, { signal }))
    assert.equal(getEventListeners(signal, 'abort').length, 0, name)
  }
})

const PEERS = { isListening: async () => true }

test('a method that needs an engine and a live port has the latter resolved first', async () => {
  const peers = PEERS
  const method = defineMethod({
    name: 'test_both',
    summary: '',
    needs: ['chain', 'engine', 'peers'],
    params: { value: new Param(any(), 'INVALID_PARAMS') },
    result: any(),
    resolve: async ({ peers }, { value }) => `${value}: ${await peers.isListening()}`,
    run: (resources, _params, { resolved }) => [resolved, 'peers' in resources],
  })
  const { resources } = setUp([])
  const ask = (options: Partial<DispatcherOptions>) =>
    setUp([method], options).dispatch('{"id":1,"method":"test_both","params":["listening"]}')
  const here = { ...resources, peers, chain: { head: () => ({}) } as never, engine: {} as never }
  assert.match((await chunksOf(await ask({ resources: here })))[0]!, /"result":\["listening: true"/)

  const sent: unknown[] = []
  const remoteEngine = engineOf(async (_name, params, _call, resolved) => {
    sent.push(params, resolved)
    return 'null'
  })
  await ask({ resources: { ...resources, peers }, remoteEngine })
  assert.deepEqual(sent, [['listening'], 'listening: true'])
})

test('a result that is fixed per head is remembered until the head or the resolved value changes', async () => {
  let [headSequence, movesMeanwhile, isListening, answers] = [1, false, true, 0]
  const peers = { isListening: async () => isListening }
  const method = defineMethod({
    name: 'test_fixed',
    summary: '',
    needs: ['engine', 'peers'],
    params: {},
    result: any(),
    isFixedPerHead: true,
    resolve: ({ peers }) => peers.isListening(),
    run: () => null,
  })
  const remoteEngine: RemoteEngine = {
    headSequence: () => headSequence,
    execute: async () => {
      if (movesMeanwhile) headSequence++
      return `${++answers}`
    },
  }
  const { dispatch } = setUp([method], { resources: { peers }, remoteEngine })
  const ask = async () => (await chunksOf(await dispatch('{"id":1,"method":"test_fixed"}')))[0]
  const answer = (result: number) => `{"jsonrpc":"2.0","id":1,"result":${result}}`
  assert.deepEqual([await ask(), await ask()], [answer(1), answer(1)])
  headSequence = 2
  assert.deepEqual([await ask(), await ask()], [answer(2), answer(2)])
  isListening = false
  assert.deepEqual([await ask(), await ask()], [answer(3), answer(3)])
  movesMeanwhile = true
  headSequence = 3
  assert.deepEqual([await ask(), await ask()], [answer(4), answer(5)])
})

test('parameters that are wrong are refused before anything is resolved', async () => {
  const method = defineMethod({
    name: 'test_both',
    summary: '',
    needs: ['engine', 'peers'],
    params: { value: new Param(string(), 'INVALID_ENODE_PARAMS') },
    result: any(),
    resolve: () => assert.fail(),
    run: () => null,
  })
  const resources = { peers: PEERS }
  const { dispatch } = setUp([method], { resources, remoteEngine: engineOf(() => assert.fail()) })
  const [body] = await chunksOf(await dispatch('{"id":1,"method":"test_both","params":[1]}'))
  assert.equal(body, error('1', -32602, 'Invalid enode params'))
})

test('the port of the APIs is the registry', async () => {
  const method = defineMethod({
    name: 'test_apis',
    summary: '',
    needs: ['apis'],
    params: {},
    result: string(),
    run: ({ apis }) => apis.enabled.join(),
  })
  const [body] = await chunksOf(await setUp([method]).dispatch('{"id":1,"method":"test_apis"}'))
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"result":"TEST"}')
})

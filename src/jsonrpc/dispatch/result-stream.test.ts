import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rpcFault } from '#jsonrpc/errors.ts'
import { chunksOf, declare, error, settle, setUp } from './dispatch.fixture.ts'

test('a streamed result is sent as it comes, alone and in a batch', async () => {
  async function* chunks() {
    yield '["a"'
    yield ',"b"]'
  }
  const { dispatch } = setUp([declare('test_stream', chunks)])
  const answer = await dispatch('{"id":1,"method":"test_stream"}')
  assert.deepEqual(await chunksOf(answer), ['{"jsonrpc":"2.0","id":1,"result":', '["a"', ',"b"]', '}'])
  const batch = await dispatch('[{"id":1,"method":"test_echo"},{"id":2,"method":"test_stream"}]')
  assert.equal(
    (await chunksOf(batch)).join(''),
    '[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":["a","b"]}]',
  )
})

test('a stream that fails before its first chunk is an error, later it breaks off', async () => {
  let isClosed = false
  async function* failing(_ports: unknown, { value }: Readonly<Record<string, unknown>>) {
    try {
      if (value === 'early') throw rpcFault('UNKNOWN_BLOCK')
      yield '['
      throw rpcFault('WORLD_STATE_UNAVAILABLE')
    } finally {
      isClosed = true
    }
  }
  const { dispatch, counted } = setUp([declare('test_stream', failing)])
  const early = await dispatch('{"id":1,"method":"test_stream","params":["early"]}')
  assert.deepEqual(await chunksOf(early), [error('1', -39001, 'Unknown block')])
  const late = await dispatch('{"id":1,"method":"test_stream"}')
  await assert.rejects(chunksOf(late), { kind: 'WORLD_STATE_UNAVAILABLE' })
  assert.equal(isClosed, true)
  assert.equal(counted.at(-1), 'test_stream WORLD_STATE_UNAVAILABLE')
})

test('a stream is closed when its reader goes away or the signal comes', async () => {
  let open = 0
  async function* endless() {
    open += 1
    try {
      for (;;) yield '1'
    } finally {
      open -= 1
    }
  }
  const { dispatch } = setUp([declare('test_stream', endless)])
  const read = await dispatch('{"id":1,"method":"test_stream"}')
  assert(read.kind === 'single' && typeof read.body !== 'string')
  for await (const _chunk of read.body) break
  await settle()
  assert.equal(open, 0)

  const controller = new AbortController()
  await dispatch('{"id":1,"method":"test_stream"}', { signal: controller.signal })
  assert.equal(open, 1)
  controller.abort()
  await settle()
  assert.equal(open, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { chunksOf, declare, error, settle, setUp } from './dispatch.fixture.ts'
import { CHUNK_LENGTH } from './execute-batch.ts'

test('a batch is answered in order, one request after the other, without its notifications', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const order: string[] = []
  const { dispatch } = setUp([
    declare('test_slow', async () => {
      order.push('slow begins')
      queueMicrotask(() => resolve('slow'))
      return await promise.finally(() => order.push('slow ends'))
    }),
    declare('test_fast', () => {
      order.push('fast')
      return 'fast'
    }),
  ])
  const answer = await dispatch(
    '[{"id":1,"method":"test_slow"},{"method":"test_fast"},{"id":1.0,"method":"test_fast"}]',
  )
  assert.deepEqual(answer, {
    kind: 'batch',
    body: '[{"jsonrpc":"2.0","id":1,"result":"slow"},{"jsonrpc":"2.0","id":1.0,"result":"fast"}]',
  })
  assert.deepEqual(order, ['slow begins', 'slow ends', 'fast'])
})

test('only HTTP limits the size of batches, and only above zero', async () => {
  const batch = '[1,2,3,4]'
  const { dispatch } = setUp([])
  const [body] = await chunksOf(await dispatch(batch))
  assert.equal(body, error('null', -32005, 'Number of requests exceeds max batch size'))
  assert.equal((await dispatch('[1,2,3]')).kind, 'batch')
  assert.equal((await dispatch(batch, { transport: 'websocket' })).kind, 'batch')
  assert.equal((await setUp([], { limits: { maxBatchSize: 0 } }).dispatch(batch)).kind, 'batch')
})

test('each element of a batch is authorised by itself', async () => {
  const { dispatch } = setUp([declare('test_other', () => 'other')])
  const caller = { mayCall: (method: string) => method === 'test_other' }
  const answer = await dispatch('[{"id":1,"method":"test_echo"},{"id":2,"method":"test_other"}]', { caller })
  assert.deepEqual(await chunksOf(answer), [
    `[${error('1', -40100, 'Unauthorized')},{"jsonrpc":"2.0","id":2,"result":"other"}]`,
  ])
})

test('a large answer to a batch is sent in chunks, and executed as they are read', async () => {
  let calls = 0
  const large = declare('test_large', () => {
    calls += 1
    return 'x'.repeat(CHUNK_LENGTH)
  })
  const { dispatch } = setUp([large])
  const answer = await dispatch(
    '[{"id":1,"method":"test_large"},{"id":2,"method":"test_large"},{"id":3,"method":"test_echo"}]',
  )
  assert.equal(calls, 1)
  const chunks = await chunksOf(answer)
  assert.equal(chunks.length, 3)
  assert.deepEqual(
    JSON.parse(chunks.join('')).map(({ id }: { id: number }) => id),
    [1, 2, 3],
  )
})

test('a signal stops a batch: refused before the first chunk, broken off after it', async () => {
  const controller = new AbortController()
  let calls = 0
  const { dispatch } = setUp([
    declare('test_abort', () => {
      calls += 1
      controller.abort()
      return 'x'
    }),
  ])
  const batch = '[{"id":1,"method":"test_abort"},{"id":2,"method":"test_abort"}]'
  assert.deepEqual(await dispatch(batch, { signal: controller.signal }), {
    kind: 'single',
    error: 'TIMEOUT_ERROR',
    isRefusal: true,
    body: error('null', -32603, 'Timeout expired'),
  })
  assert.equal(calls, 1)

  const later = new AbortController()
  const large = setUp([declare('test_large', () => 'x'.repeat(CHUNK_LENGTH))])
  const answer = await large.dispatch('[{"id":1,"method":"test_large"},{"id":2,"method":"test_large"}]', {
    signal: later.signal,
  })
  later.abort(new Error('time is up'))
  await assert.rejects(chunksOf(answer), /time is up/)
})

test('a long batch lets others have their turn', async () => {
  let calls = 0
  const clock = createFakeClock()
  const { dispatch } = setUp(
    [
      declare('test_long', () => {
        calls += 1
        clock.advance(30)
        return calls
      }),
    ],
    { clock },
  )
  const answer = dispatch('[{"id":1,"method":"test_long"},{"id":2,"method":"test_long"}]')
  await settle()
  assert.equal(calls, 1)
  clock.advance(0)
  await settle()
  clock.advance(0)
  assert.equal((await answer).kind, 'batch')
  assert.equal(calls, 2)
})

/** Right and wrong requests; METHOD is a method that answers at once or later. */
const ELEMENTS = [
  '{"id":1,"method":"METHOD"}',
  '{"id":18446744073709551616,"method":"METHOD","params":[1]}',
  '{"id":-0,"id":1.50,"method":"METHOD"}',
  '{"id":1,"method":"test_unknown","method":"METHOD"}',
  '{"id":"\\u00e9\\ud83d\\ude00é😀","method":"METHOD"}',
  '{"id":null,"method":"METHOD","params":null}',
  '{"method":"METHOD"}',
  '{"id":2,"method":"METHOD","params":{}}',
  '{"id":3,"method":"test_wrong"}',
  '{"id":4,"method":"test_unknown"}',
  '{"id":true,"method":"METHOD"}',
  '{"id":[],"method":"METHOD"}',
  '{}',
  '[]',
  '1',
  'null',
]

test('a batch is answered alike whether its requests wait or not', async () => {
  const random = createSeededRandom(9)
  const wrong = () => {
    throw new Error('a mistake of ours')
  }
  const { dispatch } = setUp(
    [
      declare('test_now', () => 'é😀'),
      declare('test_later', async () => 'é😀'),
      declare('test_wrong', wrong),
    ],
    { limits: { maxBatchSize: 0 } },
  )
  for (let round = 0; round < 300; round++) {
    const elements = Array.from(
      { length: 1 + random.randomBelow(12) },
      () => ELEMENTS[random.randomBelow(ELEMENTS.length)]!,
    )
    // Each request waits or not, in every mixture.
    const mixed = elements.map((each) =>
      each.replaceAll('METHOD', random.randomBelow(2) === 0 ? 'test_now' : 'test_later'),
    )
    const atOnce = elements.map((each) => each.replaceAll('METHOD', 'test_now'))
    const answers = await Promise.all([mixed, atOnce].map((each) => dispatch(`[${each.join(',')}]`)))
    const [expected, found] = await Promise.all(answers.map(async (each) => (await chunksOf(each)).join('')))
    assert.equal(found, expected)
    const singles = await Promise.all(atOnce.map((each) => dispatch(each.startsWith('[') ? '[]' : each)))
    assert.equal(JSON.parse(found!).length, singles.filter(({ kind }) => kind !== 'nothing').length)
  }
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createSignal } from '#platform/signal.ts'
import { connectRaw, exchange, post } from '#serve/serve.fixture.ts'
import {
  HEIGHT_AHEAD_MAX,
  HEIGHT_WAIT_MS,
  HEIGHT_WAITERS_MAX,
  HeightGate,
  type HeightSource,
  type HeightVerdict,
  readHeight,
} from './height-gate.ts'
import { CALL, dispatcherOf, openAuthenticator, RESULT, RESULT_ANSWER, startHttp } from './server.fixture.ts'

interface MovingHead extends HeightSource {
  move(height: number): void
  readonly listeners: number
}

function movingHead(height: number): MovingHead {
  const moved = createSignal<void>((error) => assert.fail(String(error)))
  return {
    height: () => height,
    onMoved: (listener) => moved.subscribe(listener),
    get listeners() {
      return moved.listenerCount
    },
    move(to) {
      height = to
      moved.emit()
    },
  }
}

test('heights are decimal or quantities; anything else is invalid', () => {
  assert.deepEqual(
    ['0', '12', '0012', '0xC', '0x1fffffffffffff'.slice(0, 15)].map(readHeight),
    [0, 12, 12, 12, 0x1fffffffffff_f],
  )
  const others = ['', '-1', '+1', '1.5', '1e3', ' 1', '1, 2', '0x', 'x', 'latest', 'NaN', 'Infinity']
  const long = ['9'.repeat(16), `0x${'f'.repeat(14)}`, '1'.repeat(10_000)]
  for (const text of [...others, ...long]) assert.equal(readHeight(text), undefined, text)
})

test('the first block that is high enough releases a waiting request', () => {
  const head = movingHead(10)
  const gate = new HeightGate(head, createFakeClock())
  const heard: string[] = []
  for (const least of [10, 11, 12]) gate.wait(least, (verdict) => heard.push(`${least} ${verdict}`))
  assert.deepEqual(heard, ['10 reached'])
  head.move(11)
  head.move(11)
  head.move(15)
  assert.deepEqual(heard, ['10 reached', '11 reached', '12 reached'])
  assert.deepEqual([gate.waiters, head.listeners], [0, 0])
})

test('requests do not wait beyond the limit, for distant blocks, or in too long a queue', () => {
  const head = movingHead(10)
  const clock = createFakeClock()
  const gate = new HeightGate(head, clock)
  const verdicts: HeightVerdict[] = []
  const wait = (least: number): (() => void) => gate.wait(least, (verdict) => verdicts.push(verdict))
  wait(10 + HEIGHT_AHEAD_MAX + 1)
  wait(Number.MAX_SAFE_INTEGER)
  assert.deepEqual(verdicts.splice(0), ['not reached', 'not reached'])
  const leave = Array.from({ length: HEIGHT_WAITERS_MAX }, () => wait(11))
  wait(11)
  assert.deepEqual(verdicts.splice(0), ['too many wait'])
  // Who leaves makes room and hears nothing.
  leave[0]!()
  leave[0]!()
  wait(11)
  clock.advance(HEIGHT_WAIT_MS - 1)
  assert.deepEqual(verdicts, [])
  clock.advance(1)
  assert.equal(verdicts.length, HEIGHT_WAITERS_MAX)
  assert.deepEqual(new Set(verdicts), new Set(['not reached']))
  assert.deepEqual([gate.waiters, head.listeners], [0, 0])
})

const asking = (height: string): string[] => ['Host: localhost', `Cairn-Min-Height: ${height}`]

test('answers have the height, and pages of other origins may read it if they name one', async (t) => {
  const { port } = await startHttp(t, { corsOrigins: ['http://app.example'] })
  const plain = await exchange(t, port, post(CALL))
  assert.equal(plain.headers['cairn-height'], '17')
  assert.equal(plain.headers['access-control-expose-headers'], undefined)
  const origin = 'Origin: http://app.example'
  const page = await exchange(t, port, post(CALL, ['Host: localhost', origin]))
  assert.equal(page.headers['access-control-expose-headers'], undefined)
  const asks = await exchange(t, port, post(CALL, [...asking('0'), origin]))
  assert.equal(asks.headers['cairn-height'], '17')
  assert.equal(asks.headers['access-control-expose-headers'], 'cairn-height')
})

test('a request with a height is answered when the height is reached, and the answer has it', async (t) => {
  const head = movingHead(10)
  let dispatched = 0
  const dispatcher = dispatcherOf(() => {
    dispatched++
    return RESULT_ANSWER
  })
  const { port } = await startHttp(t, { heights: head, dispatcher })
  const answer = exchange(t, port, post(CALL, asking('0xc')))
  await untilWaiting(head)
  head.move(11)
  assert.equal(dispatched, 0)
  head.move(13)
  const { statusLine, headers, body } = await answer
  assert.deepEqual([statusLine, headers['cairn-height'], body], ['HTTP/1.1 200 OK', '13', RESULT])
})

test('a height that is not reached is refused with 503, a malformed one with 400', async (t) => {
  const head = movingHead(10)
  const dispatcher = dispatcherOf(() => assert.fail('nothing is run'))
  const { port } = await startHttp(t, { heights: head, dispatcher })
  const far = await exchange(t, port, post(CALL, asking('999999999999999')))
  assert.equal(far.statusLine, 'HTTP/1.1 503 Service Unavailable')
  assert.equal(far.headers['cairn-height'], '10')
  assert.equal(
    far.body,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"Block height not reached (999999999999999 is wanted, 10 is reached)"}}',
  )
  for (const height of ['-1', 'latest', '9'.repeat(40), '', '1\r\nCairn-Min-Height: 2']) {
    const { statusLine, body } = await exchange(t, port, post(CALL, asking(height)))
    assert.equal(statusLine, 'HTTP/1.1 400 Bad Request', height)
    assert.match(body, /"code":-32600.*cairn-min-height/, height)
  }
})

test('a client that leaves while it waits takes its place with it', async (t) => {
  const head = movingHead(10)
  const dispatcher = dispatcherOf(() => assert.fail('nothing is run'))
  const { port } = await startHttp(t, { heights: head, dispatcher })
  const client = await connectRaw(t, port)
  client.send(post(CALL, asking('11')))
  await untilWaiting(head)
  client.socket.destroy()
  while (head.listeners > 0) await new Promise((resolve) => setTimeout(resolve, 2))
  head.move(11)
})

test('a caller without a valid token gets no height and does not wait', async (t: TestContext) => {
  const authenticator = {
    ...openAuthenticator,
    identify: () => ({ mayCall: () => true, isAnonymous: true as const }),
  }
  const { port } = await startHttp(t, { authenticator })
  const { statusLine, headers } = await exchange(t, port, post(CALL, asking('18')))
  assert.deepEqual([statusLine, headers['cairn-height']], ['HTTP/1.1 200 OK', undefined])
})

async function untilWaiting(head: MovingHead): Promise<void> {
  while (head.listeners === 0) await new Promise((resolve) => setTimeout(resolve, 2))
}

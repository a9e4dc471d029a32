import assert from 'node:assert/strict'
import { test } from 'node:test'
import { any } from 'zod'
import type { Answer, CallContext } from '#jsonrpc/dispatcher.ts'
import { CallerLimits } from '#jsonrpc/limits/call-limits.ts'
import { shareBuckets } from '#jsonrpc/limits/shared-buckets.ts'
import { readUserLimits, userLimitList } from '#jsonrpc/limits/user-limits.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { keptLog } from '#serve/serve.fixture.ts'
import { chunksOf, defineMethod, settle, setUp } from './dispatch.fixture.ts'

const ALICE: Partial<CallContext> = { caller: { mayCall: () => true, account: 'alice' } }
const BOB: Partial<CallContext> = { caller: { mayCall: () => true, account: 'bob' } }
const ECHO = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[7]}'
const END = '{"jsonrpc":"2.0","id":1,"method":"test_end","params":[]}'

const ENDING = defineMethod({
  ...{ name: 'test_end', summary: '', needs: [], cost: 'free', params: {} },
  result: any(),
  run: () => true,
})

/** Eleven requests at once. */
function limited() {
  const clock = createFakeClock()
  const callLimits = new CallerLimits({
    limits: readUserLimits(userLimitList.parse('requests=60'))!,
    shared: shareBuckets(new Uint8Array(32)),
    clock,
    metrics: createMetrics({ prefix: '', onSourceError: () => assert.fail() }),
    log: keptLog().log,
  })
  const { dispatch } = setUp([ENDING], { callLimits, clock, limits: { maxBatchSize: 100 } })
  /** Refusals are held back: this is how long it took. */
  const ask = async (
    message: string,
    who: Partial<CallContext>,
  ): Promise<{ answer: Answer; heldMs: number }> => {
    const beganMs = clock.monotonicMs()
    let answer: Answer | undefined
    const asking = dispatch(message, who).then((given) => {
      answer = given
    })
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await settle()
      if (answer !== undefined) break
      clock.advance(50)
    }
    await asking
    return { answer, heldMs: clock.monotonicMs() - beganMs }
  }
  return { ask, clock, dispatch }
}

const textOf = async (answer: Answer): Promise<string> => (await chunksOf(answer)).join('')

test('an excess call is refused after a delay with the waiting time, and other callers are not affected', async () => {
  const { ask } = limited()
  for (let call = 0; call < 11; call++) assert.equal((await ask(ECHO, ALICE)).heldMs, 0)
  const { answer, heldMs } = await ask(ECHO, ALICE)
  assert.equal(heldMs, 250)
  assert(answer.kind === 'single')
  assert.deepEqual([answer.error, answer.retryAfterSeconds], ['LIMIT_EXCEEDED', 1])
  assert.match(await textOf(answer), /"code":-32005,.*"data":\{"limit":"requests","retryAfterSeconds":1\}/)
  assert.equal((await ask(ECHO, BOB)).heldMs, 0)
  assert.match(await textOf((await ask(END, ALICE)).answer), /"result":true/)
})

test('every request of a batch counts, and a batch is held back once', async () => {
  const { ask } = limited()
  const { answer, heldMs } = await ask(`[${Array(30).fill(ECHO).join(',')}]`, ALICE)
  // And then lets others have their turn.
  assert(heldMs >= 250 && heldMs < 500, `${heldMs} ms`)
  const answers = JSON.parse(await textOf(answer)) as { readonly error?: { readonly code: number } }[]
  assert.deepEqual([answers.length, answers.filter(({ error }) => error?.code === -32005).length], [30, 19])
})

test('notifications, unknown names, mistakes and calls without a grant count too', async () => {
  for (const message of [
    '{"jsonrpc":"2.0","method":"test_echo","params":[7]}',
    '{"jsonrpc":"2.0","id":1,"method":"test_nothing","params":[]}',
    '{"jsonrpc":"2.0","id":1,"method":17}',
  ]) {
    const { ask } = limited()
    for (let call = 0; call < 11; call++) await ask(message, ALICE)
    assert.equal((await ask(ECHO, ALICE)).heldMs, 250, message)
  }
  const { ask } = limited()
  const stranger = { caller: { mayCall: () => false }, remoteAddress: '10.0.0.1' }
  for (let call = 0; call < 11; call++) await ask(ECHO, stranger)
  assert.equal((await ask(ECHO, stranger)).heldMs, 250)
})

test('a delayed answer is dropped when its client leaves', async () => {
  const { ask, dispatch } = limited()
  for (let call = 0; call < 11; call++) await ask(ECHO, ALICE)
  const leaving = new AbortController()
  const refused = dispatch(ECHO, { ...ALICE, signal: leaving.signal })
  await settle()
  leaving.abort(new Error('left'))
  assert.equal((await refused).kind, 'single')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { type HealthFacts, LIVENESS, readiness, shareFacts } from './health.ts'

async function asked(query: string, facts: HealthFacts) {
  const { isUp, body } = await readiness(`/readiness${query}`, async () => facts, createFakeClock())
  return { isUp, body, ...(JSON.parse(body) as { status: string; checks?: Record<string, unknown> }) }
}

const alone: HealthFacts = { peers: 0, blocksBehind: null, stalled: null, abstains: null }

test("the text is Besu's", async () => {
  assert.equal(LIVENESS.body, '{\n  "status" : "UP"\n}')
  const { body } = await asked('', alone)
  assert.equal(
    body,
    '{\n  "status" : "DOWN",\n  "checks" : {\n    "peers" : {\n      "status" : false,\n' +
      '      "currentPeers" : 0,\n      "requiredPeers" : 1\n    }\n  }\n}',
  )
  const invalid = await asked('?minPeers=abc', alone)
  assert.equal(invalid.body.length, 165)
})

test('peers are counted against minPeers, blocks behind against maxBlocksBehind', async () => {
  assert.equal((await asked('', { peers: 1, blocksBehind: 2, stalled: null, abstains: null })).isUp, true)
  assert.equal((await asked('', { peers: 1, blocksBehind: 3, stalled: null, abstains: null })).isUp, false)
  assert.equal(
    (await asked('?maxBlocksBehind=10', { peers: 1, blocksBehind: 3, stalled: null, abstains: null })).isUp,
    true,
  )
  assert.equal((await asked('?minPeers=0', alone)).isUp, true)
  assert.equal((await asked('?minPeers=1&minPeers=0', alone)).isUp, false)
  const { checks } = await asked('', { peers: 1, blocksBehind: 3, stalled: null, abstains: null })
  assert.deepEqual(checks, {
    peers: { status: true, currentPeers: 1, requiredPeers: 1 },
    sync: { status: false, blocksBehind: 3, maxBlocksBehind: 2 },
  })
})

test('a stalled chain makes the node not ready for any parameters, with the reason', async () => {
  const { isUp, checks } = await asked('?minPeers=0', { ...alone, stalled: 'The disk is full.' })
  assert.equal(isUp, false)
  assert.deepEqual(checks, {
    peers: { status: true, currentPeers: 0, requiredPeers: 0 },
    chain: { status: false, cause: 'The disk is full.' },
  })
})

test('a validator that does not sign yet is not ready, so no one stops another one meanwhile', async () => {
  const { isUp, checks } = await asked('?minPeers=0', { ...alone, abstains: 'Its file of votes is old.' })
  assert.equal(isUp, false)
  assert.deepEqual(checks?.validator, { status: false, cause: 'Its file of votes is old.' })
})

test('a check that does not apply is not shown', async () => {
  const { isUp, checks } = await asked('', { peers: null, blocksBehind: null, stalled: null, abstains: null })
  assert.deepEqual([isUp, checks], [true, undefined])
})

test('an invalid parameter makes the node not ready, even if its check does not apply', async () => {
  for (const value of ['abc', '-1', '', '0x0', '1.5']) {
    const { isUp, checks } = await asked(`?minPeers=${value}`, alone)
    assert.equal(isUp, false)
    assert.deepEqual(checks, {
      peers: { status: false, currentPeers: 0, error: `invalid minPeers parameter: ${value}` },
    })
  }
  const behind = await asked('?minPeers=0&maxBlocksBehind=-1', alone)
  assert.equal(behind.isUp, false)
  assert.deepEqual(behind.checks, { peers: { status: true, currentPeers: 0, requiredPeers: 0 } })
})

test('a node that fails or takes too long to report its health is not ready', async () => {
  const clock = createFakeClock()
  const failed = await readiness('/', async () => Promise.reject(new Error('main died')), clock)
  assert.equal(failed.isUp, false)
  const hanging = readiness('/', () => new Promise(() => undefined), clock)
  clock.advance(2_000)
  assert.equal((await hanging).isUp, false)
  assert.equal(clock.pendingTimers, 0)
})

test('concurrent requests share one answer, which is at most a second old', async () => {
  const clock = createFakeClock()
  let asked = 0
  const source = shareFacts(async () => ({ ...alone, peers: ++asked }), clock)
  const ask = async () => (await source()).peers
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1])
  clock.advance(999)
  assert.equal(await ask(), 1)
  clock.advance(1)
  assert.equal(await ask(), 2)
})

test('one question is pending at a time, and a failure is not kept', async () => {
  const clock = createFakeClock()
  let waiting = Promise.withResolvers<HealthFacts>()
  let asked = 0
  const source = shareFacts(() => {
    asked++
    return waiting.promise
  }, clock)
  const [first] = [source(), source()]
  clock.advance(60_000)
  void source().catch(() => undefined)
  assert.equal(asked, 1)
  waiting.reject(new Error('main is busy'))
  await assert.rejects(first, /main is busy/)
  waiting = Promise.withResolvers()
  waiting.resolve(alone)
  assert.deepEqual(await source(), alone)
  assert.equal(asked, 2)
})

test('the answer contains no address of another program', async () => {
  const signer =
    'The signer at https://user:pw@signer.internal:9000/key does not answer (connect 10.0.0.5:9000).'
  const failing = [{ name: 'audit', cause: 'postgres://audit:secret@db/x failed at [fd00::1]:5432' }]
  const { body, isUp } = await asked('?minPeers=0', {
    ...alone,
    signer,
    abstains: signer,
    stalled: signer,
    failing,
  })
  assert.equal(isUp, false)
  assert.doesNotMatch(body, /internal|10\.0|secret|fd00|pw/)
  assert.match(body, /The signer at \[see the log\] does not answer/)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hashSync } from '@node-rs/bcrypt'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { Secret } from '#platform/secret.ts'
import { type BcryptThreadOptions, startBcryptThread } from './bcrypt-thread.ts'

const STOP_DEADLINE_MS = 5_000
const HASH = new Secret(hashSync('pw', { cost: 4 }))
const SLOW_HASH = new Secret(hashSync('pw', { cost: 10 }))

async function start(t: TestContext, options: Partial<BcryptThreadOptions> = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', fd: 1, format: 'JSON', destination })
  const thread = await startBcryptThread({ clock: systemClock, log, ...options })
  t.after(() => thread.stop(STOP_DEADLINE_MS))
  return { thread, lines }
}

test('verifies on a separate thread while this one continues', async (t) => {
  const { thread } = await start(t)
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 1)
  assert.equal(await thread.verify(new Secret('pw'), SLOW_HASH), 'match')
  clearInterval(ticking)
  assert.ok(ticks > 0, 'the event loop turned')
  assert.equal(await thread.verify(new Secret('PW'), HASH), 'mismatch')
  assert.equal(await thread.verify(new Secret('pw'), new Secret('no hash')), 'mismatch')
})

test('works on one at a time, lets a few wait and turns the rest away at once', async (t) => {
  const { thread, lines } = await start(t, { queuedMax: 3 })
  const verdicts = await Promise.all(Array.from({ length: 8 }, () => thread.verify(new Secret('pw'), HASH)))
  assert.deepEqual(verdicts, ['match', 'match', 'match', 'match', 'busy', 'busy', 'busy', 'busy'])
  assert.doesNotMatch(lines.join(''), /pw|\$2/)
})

test('stopped, it answers busy', async (t) => {
  const { thread } = await start(t)
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
  assert.equal(await thread.verify(new Secret('pw'), HASH), 'busy')
})

test('a thread that died is replaced, and what kills every thread is given up', async (t) => {
  const { thread, lines } = await start(t, { entry: import.meta.resolve('./bcrypt-thread.fixture.ts') })
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await thread.verify(new Secret('die'), HASH), 'busy')
    assert.equal(await thread.verify(new Secret('pw'), HASH), 'match')
  }
  assert.match(lines.join(''), /ended unexpectedly/)
})

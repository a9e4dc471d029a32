import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import type { Fault } from '#types/fault.ts'
import type { FixtureData, FixtureProtocol, StarterProtocol } from './thread.fixture.ts'
import { PreparedThreads, startThread, type Thread, type ThreadOptions } from './thread.ts'

const STOP_DEADLINE_MS = 5_000

type FixtureThread = Thread<StarterProtocol, FixtureProtocol>

async function start(
  t: TestContext,
  data: FixtureData = {},
  overrides: Partial<ThreadOptions<StarterProtocol>> = {},
): Promise<FixtureThread> {
  const thread = await startThread<StarterProtocol, FixtureProtocol>({
    name: 'engine-1',
    entry: import.meta.resolve('./thread.fixture.ts'),
    restart: 'never',
    data,
    handlers: { requests: { double: (value) => value * 2n } },
    clock: systemClock,
    ...overrides,
  })
  t.after(() => thread.terminate('the test is over'))
  return thread
}

test('a thread answers, asks back, knows its name and stops', async (t) => {
  const thread = await start(t)
  const bytes = new Uint8Array(8).fill(7)
  assert.deepEqual(await thread.channel.request('echo', { bytes, big: 2n ** 70n }), { bytes, big: 2n ** 70n })
  assert.equal(await thread.channel.request('askBack', 21n), 42n)
  assert.equal((await thread.channel.request('describe', null)).name, 'engine-1 engine-1')
  assert.ok((await thread.heapStatistics()).used_heap_size > 0)
  const inFlight = assert.rejects(thread.channel.request('never', null), { kind: 'CHANNEL_CLOSED' })
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
  await inFlight
})

test('a thread lowers only its own priority', { skip: process.platform !== 'linux' }, async (t) => {
  const before = getPriority(0)
  const thread = await start(t, {}, { lowPriority: true })
  assert.equal((await thread.channel.request('describe', null)).priority, Math.max(before, 10))
  assert.equal(getPriority(0), before)
})

test('a thread logs in the common format under its own name', async (t) => {
  const thread = await start(t)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-thread-'))
  const fd = openSync(join(folder, 'log'), 'w')
  await thread.channel.request('log', fd)
  closeSync(fd)
  const line = readFileSync(join(folder, 'log'), 'utf8')
  rmSync(folder, { recursive: true })
  assert.match(
    line,
    /^\d{4}-\d\d-\d\d [\d:.]{12}\+0000 \| engine-1 \| INFO {2}\| fixture \| from the worker\n$/,
  )
})

test('a thread that dies fails its pending calls with a Fault that names it', async (t) => {
  const thread = await start(t)
  const waiting = thread.channel.request('never', null).catch((error) => error)
  await assert.rejects(thread.channel.request('die', null), {
    kind: 'THREAD_DIED',
    message: 'The thread engine-1 ended unexpectedly: no more strength.',
  })
  assert.equal(((await waiting) as Fault).kind, 'THREAD_DIED')
  const exit = await thread.exited
  assert.equal(exit.how, 'died')
  assert.equal(exit.error?.message, 'no more strength')
  await assert.rejects(thread.channel.request('echo', 1), { kind: 'THREAD_DIED' })
  assert.equal((await thread.stop(STOP_DEADLINE_MS)).how, 'died')
})

test('a thread that exits by itself counts as died', async (t) => {
  const thread = await start(t)
  await assert.rejects(thread.channel.request('exit', null), { kind: 'THREAD_DIED' })
})

test('a terminated thread reports the reason', async (t) => {
  const thread = await start(t)
  const failed = assert.rejects(thread.channel.request('never', null), {
    kind: 'THREAD_DIED',
    message: 'The thread engine-1 ended unexpectedly: it used too much memory.',
  })
  assert.equal((await thread.terminate('it used too much memory')).how, 'terminated')
  await failed
})

test('a setup that fails or hangs is a Fault of the start', async (t) => {
  await assert.rejects(start(t, { failSetup: true }), (fault: Fault) => {
    assert.equal(fault.message, 'The thread engine-1 did not start: The database is in use.')
    assert.equal((fault.cause as Fault).kind, 'DATABASE_LOCKED')
    return true
  })
  const clock = createFakeClock()
  const failed = assert.rejects(start(t, { hangSetup: true }, { clock, startDeadlineMs: 100 }), {
    kind: 'THREAD_START_FAILED',
    message: 'The thread engine-1 did not start: it was not ready within 100 ms.',
  })
  clock.advance(100)
  await failed
  await assert.rejects(start(t, {}, { entry: import.meta.resolve('./none.ts') }), {
    kind: 'THREAD_START_FAILED',
  })
})

test('a thread with a CPU limit is terminated when it loops, but not when it is kept from computing', async (t) => {
  const limits = { startDeadlineMs: 60_000, startCpuMs: 1_000 }
  await start(t, { stoppedMs: 1_200 }, limits)
  await assert.rejects(start(t, { loopSetup: true }, limits), {
    kind: 'THREAD_START_FAILED',
    message: 'The thread engine-1 did not start: it was not ready after 1000 ms of computing.',
  })
})

test('a failed stop is reported, and a hanging stop is terminated at its deadline', async (t) => {
  const failing = await start(t, { failStop: true })
  const exit = await failing.stop(STOP_DEADLINE_MS)
  assert.equal(exit.how, 'stopped')
  assert.equal((exit.error as Fault).kind, 'FLUSH_FAILED')
  const clock = createFakeClock()
  const hanging = await start(t, { hangStop: true }, { clock })
  const stopped = hanging.stop(100)
  clock.advance(100)
  assert.equal((await stopped).how, 'terminated')
})

test('a prepared thread waits for its work, is taken once, and works like a new thread', async (t) => {
  const plan = { name: 'engine-1', entry: import.meta.resolve('./thread.fixture.ts') }
  const before = getPriority(0)
  const threads = new PreparedThreads([plan, { ...plan, name: 'engine-2' }])
  t.after(() => threads.end())
  const prepared = threads.take('engine-1')
  assert.ok(prepared !== undefined)
  assert.equal(threads.take('engine-1'), undefined)
  assert.equal(threads.take('engine-3'), undefined)
  const { port1, port2 } = new MessageChannel()
  const thread = await start(t, {}, { prepared, lowPriority: true, transfer: [port1] })
  port2.close()
  const { name, priority } = await thread.channel.request('describe', null)
  assert.equal(name, 'engine-1 engine-1')
  if (process.platform === 'linux') assert.equal(priority, Math.max(before, 10))
  assert.equal(await thread.channel.request('askBack', 21n), 42n)
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
})

test('a prepared thread that fails, before its work or with it, fails the start', async (t) => {
  const entry = import.meta.resolve('./thread.fixture.ts')
  const prepare = (from: string) => new PreparedThreads([{ name: 'engine-1', entry: from }]).take('engine-1')!
  const [prepared, broken] = [prepare(entry), prepare(`${entry}.missing`)]
  await assert.rejects(start(t, { failSetup: true }, { prepared }), {
    kind: 'THREAD_START_FAILED',
    message: 'The thread engine-1 did not start: The database is in use.',
  })
  assert.equal((await broken.life.exited).how, 'died')
  await assert.rejects(start(t, {}, { prepared: broken }), {
    kind: 'THREAD_START_FAILED',
    message: /^The thread engine-1 did not start: .*thread\.fixture\.ts\.missing/,
  })
})

test('a prepared thread that no one takes does not keep the process alive', () => {
  const [file, entry] = [import.meta.resolve('./thread.ts'), import.meta.resolve('./thread.fixture.ts')]
  const script = `import { PreparedThreads } from '${file}'
    new PreparedThreads([{ name: 'engine-1', entry: '${entry}' }])
    // It has loaded, and waits.
    setTimeout(() => {}, 1_000)`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 30_000,
  })
  assert.equal(status, 0)
})

test("a thread caches compiled code in its starter's folder and nowhere else", (t) => {
  const folder = temporaryFolder(t)
  const own = join(folder, 'own')
  startThreadIn(folder, `require('node:module').enableCompileCache(${JSON.stringify(own)})`)
  assert.deepEqual(readdirSync(folder), ['own'])
})

test("a thread caches compiled code in its user's folder if its starter caches none", {
  skip: process.platform === 'win32',
}, (t) => {
  const folder = temporaryFolder(t)
  startThreadIn(folder)
  assert.deepEqual(readdirSync(folder), [`cairn-compile-cache-${process.getuid?.()}`])
})

test('a thread starts in a program that Node reads as the text of a module', (t) => {
  startThreadIn(temporaryFolder(t), '', ['--input-type=module'])
})

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-thread-cache-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs a thread in a program whose temporary folder is `folder`. */
function startThreadIn(folder: string, before = '', nodeFlags: readonly string[] = []): void {
  const script = `
    ${before}
    import(${JSON.stringify(import.meta.resolve('./thread.ts'))}).then(async ({ startThread }) => {
      const { systemClock: clock } = await import(${JSON.stringify(import.meta.resolve('#platform/clock.ts'))})
      const entry = ${JSON.stringify(import.meta.resolve('./thread.fixture.ts'))}
      const handlers = { requests: { double: (value) => value * 2n } }
      const thread = await startThread({ name: 'engine-1', entry, data: {}, handlers, clock })
      await thread.stop(${STOP_DEADLINE_MS})
    })`
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, [...nodeFlags, '-e', script], {
    env: { ...env, TMPDIR: folder },
  })
  assert.equal(status, 0, String(stderr))
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#platform/log/log.ts'
import { LevelRules, type LogLevel } from '#platform/log/log-level.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { defineThread, RESTART_AT_ONCE, RestartPauses } from './define-thread.ts'
import type { FixtureData, FixtureProtocol, StarterProtocol } from './thread.fixture.ts'
import { silentThreads } from './threads.fixture.ts'

const quiet = () => createLog({ level: 'INFO', destination: { write: () => undefined } })

interface LevelChange {
  readonly level: LogLevel
  readonly names: readonly string[] | undefined
}

/** A thread that was started with the options' level. */
function fakeThread(request?: (name: string) => Promise<unknown>) {
  const rules = new LevelRules('INFO')
  const heads: unknown[] = []
  const { promise: exited, resolve: exit } = Promise.withResolvers<never>()
  const setLevel = async (_: string, { level, names }: LevelChange) => rules.set(level, names)
  const channel = { request: request ?? setLevel, publish: (_: string, head: unknown) => heads.push(head) }
  return {
    name: 'engine-0',
    channel,
    exited,
    exit: () => exit({} as never),
    heapUsedBytes: () => 7,
    rules,
    heads,
  }
}

test('a change of levels reaches every thread, and a thread that starts later gets all changes', async () => {
  const threads = silentThreads({ rootLog: quiet() })
  const [early, late] = [fakeThread(), fakeThread()]
  threads.adopt(early, {})
  await threads.setLevel('TRACE', ['p2p.dial'])
  await threads.setLevel('WARN', ['p2p'])
  await threads.setLevel('DEBUG', ['p2p.rlpx', '7'])
  threads.adopt(late, {})
  assert.deepEqual(late.rules.all(), early.rules.all())
  assert.deepEqual(late.rules.all(), threads.levels())
  await threads.setLevel('ERROR', undefined)
  assert.deepEqual(
    [early, late].map(({ rules }) => rules.all()),
    [{ '': 'ERROR' }, { '': 'ERROR' }],
  )
})

test('a thread that fails or has ended does not keep the others from getting the level', async () => {
  const threads = silentThreads({ rootLog: quiet() })
  const [ended, other] = [fakeThread(), fakeThread()]
  for (const thread of [fakeThread(async () => assert.fail()), ended, other]) threads.adopt(thread, {})
  ended.exit()
  await ended.exited
  await threads.setLevel('DEBUG', undefined)
  threads.announce('head')
  assert.deepEqual([ended.rules.levelOf('p2p'), ended.heads], ['INFO', []])
  assert.deepEqual([other.rules.levelOf('p2p'), other.heads], ['DEBUG', ['head']])
})

test('a thread gets no level before the first change', () => {
  silentThreads().adopt(
    fakeThread(() => assert.fail()),
    {},
  )
})

test("a thread's counts stay when it ends, and its memory use does not", async () => {
  const metrics = createMetrics({ prefix: '', onSourceError: assert.fail })
  const own = createMetrics({ prefix: '', onSourceError: assert.fail })
  own.counter({ kind: 'counter', category: 'rpc', name: 'answers', help: 'Answers' }).inc()
  const threads = silentThreads({ metrics })
  const [first, second] = [fakeThread(() => own.sample()), fakeThread(() => own.sample())]
  threads.adopt(first, {})
  const shown = async () => (await metrics.exposition()).body.split('\n').filter((line) => /^\w/.test(line))
  assert.deepEqual(await shown(), ['process_thread_heap_bytes{thread="engine-0"} 7', 'rpc_answers_total 1'])
  first.exit()
  await first.exited
  assert.deepEqual(await shown(), ['rpc_answers_total 1'])
  threads.adopt(second, {})
  assert.deepEqual(await shown(), ['process_thread_heap_bytes{thread="engine-0"} 7', 'rpc_answers_total 2'])
})

test('a thread that ends repeatedly is restarted less and less often', () => {
  const pauses = new RestartPauses({ pausesMs: [1, 2, 4], settledMs: 100 })
  assert.deepEqual(
    [50, 0, 100, 50].map((workedMs) => pauses.nextMs(workedMs)),
    [1, 2, 4, 4],
  )
  assert.equal(pauses.nextMs(101), 1)
  const atOnce = new RestartPauses(RESTART_AT_ONCE)
  assert.deepEqual(
    [60_000, 0, 60_000].map((workedMs) => atOnce.nextMs(workedMs)),
    [0, 1_000, 0],
  )
  assert.throws(() => new RestartPauses('never'), /has a definition that says how/)
})

test('nothing waits for a thread in the background, whose first start is repeated until it works', async () => {
  const threads = silentThreads()
  const definition = defineThread<{ data: FixtureData; offers: FixtureProtocol; asks: StarterProtocol }>({
    name: 'fixture',
    entry: import.meta.resolve('./thread.fixture.ts'),
    restart: { pausesMs: [1], settledMs: 100 },
  })
  const log = createLog({ level: 'OFF' })
  const handlers = { requests: { double: (value: bigint) => 2n * value } }
  const { promise: started, resolve: onStarted } = Promise.withResolvers<{ readonly name: string }>()
  const starts: FixtureData[] = [{ failSetup: true }, { failSetup: true }, {}]
  const begin = () => ({ data: starts.shift()! })
  const kept = await threads.keep(definition, { log, handlers, begin, inBackground: true, onStarted })
  assert.equal(starts.length, 2)
  assert.equal((await started).name, 'fixture')
  await kept.stop(5_000)
  const unstarted = { begin: () => ({ data: {} }), onStarted: () => assert.fail('it was stopped before') }
  await (await threads.keep(definition, { log, handlers, inBackground: true, ...unstarted })).stop(5_000)
})

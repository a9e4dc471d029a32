import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { createLog } from '#platform/log/log.ts'
import type { Verdict } from '#plugins/define-plugin.ts'
import { createAdmission, createConnectionRule } from '#plugins/host/rules.ts'
import type { SentTransaction } from '#plugins/plugin-protocol.ts'
import { loadBodies, until } from './plugin-bodies.ts'

const QUIET = createLog({ level: 'OFF' })
const HEARD = "admission: { onFailure: 'admit', deadlineMs: 200, judge: (all) => all.map(() => 'no') }"

function offered(sender: string): SentTransaction {
  const amounts = {
    gasLimit: 21_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    maxCostWei: 1n,
    encoded: new Uint8Array(),
  }
  return { hash: '0x01', sender, to: null, type: 0, nonce: 0n, ...amounts, origin: 'local' }
}

test('a rule gets many transactions per call, and the first refusal counts', async (t) => {
  const { set } = await loadBodies(t, {
    one: "admission: { onFailure: 'admit', judge: (all) => all.map((x) => x.sender === 'bad' ? 'one says ' + all.length : true) }",
    two: "admission: { onFailure: 'admit', judge: async (all) => all.map((x) => x.sender === 'bad' ? 'two' : true) }",
  })
  const judge = createAdmission(set)!
  assert.deepEqual(await judge([offered('good'), offered('bad')]), [true, 'one says 2'])
})

test('while a question is under way the next grows, up to 512 transactions, and each gets its own verdict', async (t) => {
  const { set } = await loadBodies(t, {
    echo: "admission: { onFailure: 'admit', judge: (all) => all.map((x) => all.length + ' ' + x.sender) }",
  })
  const judge = createAdmission(set)!
  const groups = [1, 1, 2, 1_200, 300].map((count, group) =>
    Array.from({ length: count }, (_, index) => offered(`${group}-${index}`)),
  )
  const verdicts = await Promise.all(groups.map((group) => judge(group)))
  assert.deepEqual(
    verdicts.map((all) => all.map((verdict) => String(verdict).split(' ')[1])),
    groups.map((group) => group.map(({ sender }) => sender)),
  )
  const sizes = verdicts.flat().map((verdict) => Number(String(verdict).split(' ')[0]))
  // The first transaction goes at once, then the ones that arrived meanwhile, then batches of up to 512.
  assert.deepEqual([...new Set(sizes)], [1, 3, 512, 476])
})

test('a plugin that throws or returns no verdict gets its onFailure applied and counted', async (t) => {
  const { set, metrics, lines } = await loadBodies(t, {
    open: "admission: { onFailure: 'admit', judge: () => { throw new Error('broken') } }",
    shut: "connections: { onFailure: 'refuse', judge: () => { throw new Error('broken') } }",
    wrong: "admission: { onFailure: 'refuse', judge: () => [1] }",
  })
  const judge = createAdmission(set)!
  assert.deepEqual(await judge([offered('a')]), ['The plugin that decides it does not answer.'])
  const peer = { enode: '', id: '', ip: '', direction: 'inbound' } as const
  assert.equal(await createConnectionRule(set)!(peer), false)
  const text = await metrics()
  assert.match(text, /unanswered_total\{plugin="open",hook="admission",cause="failed"\} 1/)
  assert.match(text, /unanswered_total\{plugin="wrong",hook="admission",cause="failed"\} 1/)
  assert.match(
    lines(),
    /Registered plugin name=shut version=1 declares="connections \(refuses without an answer within 500 ms\)/,
  )
})

test('a plugin that hangs costs one deadline, is terminated, and works again after a pause', async (t) => {
  const hang =
    "admission: { onFailure: 'admit', deadlineMs: 100, judge: (all) => { if (all[0].sender === 'loop') while (true); return all.map(() => 'awake') } }"
  const { set, metrics } = await loadBodies(t, { hang })
  const judge = createAdmission(set)!
  assert.deepEqual(await judge([offered('a')]), ['awake'])
  const beganMs = performance.now()
  // If every call waited, this would take ten seconds; a busy machine adds far less than half of that.
  for (let turn = 0; turn < 100; turn++) assert.deepEqual(await judge([offered('loop')]), [true])
  assert(performance.now() - beganMs < 5_000, 'more than the first call waited')
  await until(async () => (await judge([offered('a')]))[0] === 'awake')
  assert.match(await metrics(), /ended_total\{plugin="hang",cause="hung"\} 1/)
})

test('a plugin without CPU time is not called meanwhile, and not terminated', async (t) => {
  const stopped =
    "admission: { onFailure: 'admit', deadlineMs: 100, judge: (all) => { if (all[0].sender === 'stop') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500); return all.map(() => 'awake') } }"
  const { set, metrics } = await loadBodies(t, { stopped })
  const judge = createAdmission(set)!
  assert.deepEqual(await judge([offered('stop')]), [true])
  await until(async () => (await judge([offered('a')]))[0] === 'awake')
  assert.doesNotMatch(await metrics(), /ended_total\{/)
})

test('a plugin that is slow in one call answers other calls', async (t) => {
  const slow = `methods: { slow: { summary: 'Slow.', deadlineMs: 200, run: () => new Promise(() => undefined) } }, ${HEARD}`
  const { set } = await loadBodies(t, { slow })
  const judge = createAdmission(set)!
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual(await set.hosts[0]!.ask('call', { method: 'slow_slow', params: serialize({}) }, 200), {
      ok: false,
    })
    await until(async () => (await judge([offered('a')]))[0] === 'no')
  }
})

test('a plugin that never answers some calls answers all others', async (t) => {
  const deaf = `health: { check: () => new Promise(() => undefined) }, ${HEARD}`
  const { set, metrics } = await loadBodies(t, { deaf })
  // More calls than may be pending at once.
  for (let turn = 0; turn < 3; turn++) {
    const asked = Array.from({ length: 150 }, () => set.hosts[0]!.ask('health', null, 50))
    assert((await Promise.all(asked)).every(({ ok }) => !ok))
    await until(async () => (await createAdmission(set)!([offered('a')]))[0] === 'no')
  }
  assert.doesNotMatch(await metrics(), /ended_total\{/)
})

test('a rule is called even if many client calls wait for the plugin', async (t) => {
  const busy =
    "methods: { wait: { summary: 'Waits.', deadlineMs: 20_000, run: () => new Promise(() => { calls++ }) } }, admission: { onFailure: 'admit', deadlineMs: 1_500, judge: (all) => all.map(() => String(calls)) }"
  const { set } = await loadBodies(t, { busy })
  const call = { method: 'busy_wait', params: serialize({}) }
  const calls = Array.from({ length: 1_500 }, () => set.hosts[0]!.ask('call', call, 15_000))
  let areOver = false
  void Promise.all(calls).then(() => {
    areOver = true
  })
  const judge = createAdmission(set)!
  let begun: Verdict = true
  // On a busy machine the rule may be late too; then it is asked again.
  await until(async () => {
    begun = (await judge([offered('a')]))[0]!
    return begun !== true || areOver
  })
  assert.equal(areOver, false, 'the rule waited for the calls')
  assert(Number(begun) > 0 && Number(begun) <= 64, `${begun} calls were under way`)
})

test('a late answer to another question does not decide for a rule', async (t) => {
  const late =
    "health: { check: () => new Promise(() => undefined) }, admission: { onFailure: 'admit', deadlineMs: 1_500, judge: (all) => all.map(() => 'no') }"
  const { set, metrics } = await loadBodies(t, { late })
  const judge = createAdmission(set)!
  for (let turn = 0; turn < 20; turn++) {
    assert.deepEqual(await set.hosts[0]!.ask('health', null, 1), { ok: false })
    const [verdict] = await judge([offered('a')])
    if (verdict === 'no') continue
    // onFailure applies only if the rule itself is late.
    assert.match(await metrics(), /unanswered_total\{plugin="late",hook="admission",cause="late"\}/)
    return
  }
})

test('a plugin that dies, exits or leaks is restarted', async (t) => {
  const { set, metrics } = await loadBodies(t, {
    dies: `start: () => { setTimeout(() => { throw new Error('no more') }, 10) }, ${HEARD}`,
    exits: `start: () => { setTimeout(() => process.exit(0), 10) }, ${HEARD}`,
    leaks: `start: () => { const kept = []; setInterval(() => kept.push(new Uint8Array(4_000_000).fill(1)), 1) }, ${HEARD}`,
  })
  await set.start(QUIET)
  const ended = async (plugin: string, cause: string, times: number) =>
    until(async () =>
      new RegExp(`ended_total\\{plugin="${plugin}",cause="${cause}"\\} [${times}-9]`).test(await metrics()),
    )
  await Promise.all([ended('dies', 'died', 2), ended('exits', 'died', 2), ended('leaks', 'memory', 1)])
})

test('endless requests of a plugin are slowed down, and endless output is cut', async (t) => {
  let asked = 0
  const flood = `start: (node) => { void (async () => { for (;;) { await Promise.all(Array.from({ length: 100 }, () => node.request('x'))); for (let i = 0; i < 1000; i++) console.log('flood') } })() }, ${HEARD}`
  const answerRpc = async () => {
    asked++
    return '{"jsonrpc":"2.0","id":1,"result":null}'
  }
  const { set } = await loadBodies(t, { flood }, { answerRpc })
  await set.start(QUIET)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  assert(asked > 100 && asked < 1_500, String(asked))
  assert.deepEqual(await createAdmission(set)!([offered('a')]), ['no'])
})

test('a plugin that bypasses the interface to flood main is terminated', async (t) => {
  const flood = `start: async () => { const { workerData } = await import('node:worker_threads'); const { port } = workerData.cairnThread.work; for (let id = 1; id < 3_000; id++) port.postMessage([0, 1e6 + id, 'rpc', '{}', 1e15]) }, ${HEARD}`
  const { set, metrics } = await loadBodies(t, { flood })
  await set.start(QUIET).catch(() => undefined)
  await until(async () => /ended_total\{plugin="flood",cause="flood"\} 1/.test(await metrics()))
})

test("a plugin's declaration is checked, and a mistake is reported with its remedy", async (t) => {
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['admission: { judge: () => [] }', /admission needs onFailure/],
    [
      "namespace: 'eth', methods: { x: { summary: '', run: () => 1 } }",
      /the namespace eth belongs to the node/,
    ],
    ['timeouts: { startMs: 0 }', /the time-out of start is 0, and must be a whole number/],
    [
      "options: { x: { type: 'integer', default: 'a', help: 'X.' } }",
      /the default of the option x is not of type integer/,
    ],
    [
      "methods: { x: { summary: '', params: { a: 'wei' }, run: () => 1 } }",
      /the type of a in x_x is "wei"|the type of a in .*_x is "wei"/,
    ],
  ]
  for (const [body, sentence] of refusals) await assert.rejects(loadBodies(t, { sample: body }), sentence)
  const { set, lines } = await loadBodies(
    t,
    { good: '', bad: 'timeouts: { startMs: 0 }' },
    { continuesOnError: true },
  )
  assert.deepEqual(
    set.hosts.map(({ name }) => name),
    ['good'],
  )
  assert.match(lines(), /Plugin left out.*The plugin .*bad\.ts cannot be used: /)
})

test("a plugin's storage survives its death", async (t) => {
  const body = `register: (node) => node.storage.put('runs', Uint8Array.of((node.storage.get('runs')?.[0] ?? 0) + 1)),
    start: (node) => { if (node.storage.get('runs')[0] < 3) setTimeout(() => process.exit(0), 10) },
    methods: { runs: { summary: 'Runs.', run: (_, node) => node.storage.get('runs')[0] } }`
  const { set } = await loadBodies(t, { keeper: body })
  await set.start(QUIET)
  const runs = async () => {
    const answer = await set.hosts[0]!.ask('call', { method: 'keeper_runs', params: serialize({}) }, 500)
    return answer.ok && answer.value.ok && Number(answer.value.text) >= 3
  }
  await until(runs)
})

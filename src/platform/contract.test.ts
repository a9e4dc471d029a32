import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createChannel } from '#platform/channel/channel.ts'
import { messagePortToChannelPort } from '#platform/channel/channel-port.ts'
import { Fault } from '#types/fault.ts'
import { systemClock as clock } from './clock.ts'
import { askDirectly } from './contract.fixture.ts'
import {
  answerContracts,
  askContracts,
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  event,
  type OwnersOf,
  operation,
  ownerWhen,
  publishContracts,
  weigh,
} from './contract.ts'
import { listenToOwner } from './contract-events.ts'
import { nextTurn } from './next-turn.ts'
import { Later } from './room.ts'
import { createSignal } from './signal.ts'

const TABLES = {
  pool: {
    status: operation<[], { readonly pending: number }>(),
    admit: operation<[raw: Uint8Array, isLocal?: boolean], string>(),
    refuse: operation<[], void>(),
    added: event<string>((text) => text.length),
  },
  peers: { slow: operation<[], void>({ deadlineMs: 5 }) },
} satisfies Contracts

/** An owner with its own state; operations are called as its methods. */
class Pool {
  #count = 0
  readonly added = createSignal<readonly string[]>(() => assert.fail())

  status() {
    return { pending: this.#count }
  }

  async admit(raw: Uint8Array, isLocal = false) {
    this.#count++
    return `${raw.length} bytes${isLocal ? ', local' : ''}`
  }

  refuse() {
    throw new Fault('POOL_FULL', { sentence: 'The pool is full.' })
  }
}

const owners = () => ({
  pool: new Pool(),
  peers: { slow: () => new Promise<void>(() => undefined) },
})

function overChannel(t: TestContext, given: Partial<OwnersOf<typeof TABLES>>) {
  const { port1, port2 } = new MessageChannel()
  const options = { clock, onError: () => assert.fail() }
  type Main = { readonly requests: ContractRequests; readonly streams: ContractStreams }
  type Nothing = Record<never, never>
  const handlers = { requests: answerContracts(TABLES, given), streams: publishContracts(TABLES, given) }
  const main = createChannel<Main, Nothing>(messagePortToChannelPort(port1), handlers, options)
  const server = createChannel<Nothing, Main>(messagePortToChannelPort(port2), {}, options)
  t.after(() => main.close())
  return { ...askContracts(TABLES, server), end: () => server.close() }
}

test('the owner answers an operation, over the channel and directly', async (t) => {
  for (const { pool } of [overChannel(t, owners()), askDirectly(TABLES, owners())]) {
    assert.deepEqual(await pool.status(), { pending: 0 })
    assert.equal(await pool.admit(Uint8Array.of(1, 2)), '2 bytes')
    assert.equal(await pool.admit(Uint8Array.of(1), true), '1 bytes, local')
    assert.deepEqual(await pool.status(), { pending: 2 })
    await assert.rejects(pool.refuse(), { kind: 'POOL_FULL', message: 'The pool is full.' })
  }
})

test('the contract of a starting room throws STARTING, and answers once the room has started', async (t) => {
  const room = new Later<Pool>('the pool')
  const { pool } = overChannel(t, { pool: ownerWhen(TABLES.pool, () => room.get()) })
  await assert.rejects(pool.status(), { kind: 'STARTING', message: /starting: the pool is not ready yet/ })
  const leaving = new AbortController()
  await assert.rejects(Array.fromAsync(pool.added(leaving.signal)), { kind: 'STARTING' })
  const there = new Pool()
  room.arrive(there)
  assert.equal(await pool.admit(Uint8Array.of(1)), '1 bytes')
  const heard = pool.added(leaving.signal)[Symbol.asyncIterator]().next()
  await until(() => there.added.listenerCount === 1)
  there.added.emit(['a'])
  assert.deepEqual((await heard).value?.items, ['a'])
  leaving.abort(new Error('left'))
})

test('an operation may have its own deadline', async (t) => {
  await assert.rejects(overChannel(t, owners()).peers.slow(), { kind: 'DEADLINE_EXCEEDED' })
})

test('an absent owner answers nothing', async (t) => {
  const { pool } = overChannel(t, { peers: owners().peers })
  await assert.rejects(pool.status(), /offers pool\.status/)
})

test('a value that cannot cross a channel fails in the direct client too', async (t) => {
  const given = { ...owners(), pool: { ...new Pool(), status: () => ({ pending: (() => 1) as never }) } }
  const all = given as unknown as OwnersOf<typeof TABLES>
  for (const { pool } of [overChannel(t, all), askDirectly(TABLES, all)]) {
    await assert.rejects(pool.status(), /could not be cloned/)
  }
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn()
}

test('a listener receives events in order and in batches, over the channel and directly', async (t) => {
  const [far, near] = [owners(), owners()]
  for (const { pool, owner } of [
    { ...overChannel(t, far), owner: far.pool },
    { ...askDirectly(TABLES, near), owner: near.pool },
  ]) {
    owner.added.emit(['nobody hears this'])
    const leaving = new AbortController()
    const heard: string[] = []
    const listening = (async () => {
      for await (const { items, missed } of pool.added(leaving.signal)) heard.push(`${items} ${missed}`)
    })()
    await until(() => owner.added.listenerCount === 1)
    owner.added.emit(['a', 'b'])
    owner.added.emit(['c'])
    await until(() => heard.length === 1)
    assert.deepEqual(heard, ['a,b,c 0'])
    leaving.abort(new Error('left'))
    await assert.rejects(listening, /left/)
    await until(() => owner.added.listenerCount === 0)
  }
})

test('a slow listener learns how many of the oldest items are lost', async () => {
  const { pool } = owners()
  const batches = listenToOwner(pool.added, TABLES.pool.added, new AbortController().signal)
  const first = batches.next()
  const megabyte = 'x'.repeat(1024 * 1024)
  for (let count = 0; count < 20; count++) pool.added.emit([`${count}${megabyte}`])
  const heard: string[] = []
  let missed = 0
  const hear = ({ value }: Awaited<typeof first>): void => {
    missed += value!.missed
    heard.push(...value!.items.map((text) => String(Number.parseInt(text, 10))))
  }
  hear(await first)
  while (heard.at(-1) !== '19') hear(await batches.next())
  assert.equal(heard.length + missed, 20)
  assert.ok(missed >= 4, `${missed} of 20 MB are lost where 16 may wait`)
  assert.deepEqual(
    heard.slice(1),
    heard.slice(1).toSorted((a, b) => Number(a) - Number(b)),
  )
  await batches.return()
  assert.equal(pool.added.listenerCount, 0)
})

test('closing the channel ends a listener', async (t) => {
  const given = owners()
  const { pool, end } = overChannel(t, given)
  const listening = (async () => {
    for await (const _ of pool.added(new AbortController().signal)) assert.fail()
  })()
  await until(() => given.pool.added.listenerCount === 1)
  end()
  await assert.rejects(listening)
  await until(() => given.pool.added.listenerCount === 0)
})

test('arguments are bounded on the side that asks', async () => {
  const tables = { garden: { plant: operation<[names: unknown], number>({ maxArgBytes: 1_000 }) } }
  let asked = 0
  const { garden } = askDirectly(tables, { garden: { plant: () => ++asked } })
  assert.equal(await garden.plant(['rose', 'tulip']), 1)
  const deep = Array.from({ length: 5 }, () => ({ a: [1, 2, { b: 'c' }] }))
  for (const large of [
    'x'.repeat(1_000),
    new Uint8Array(1_000),
    Array(20).fill(0),
    deep,
    new Set(Array(20).keys()),
  ]) {
    await assert.rejects(garden.plant(large), { kind: 'ARGUMENTS_TOO_LARGE' })
  }
  assert.equal(asked, 1)
})

test('weighing stops early and counts values, texts and bytes', () => {
  assert.equal(weigh([], 1_000), 64)
  assert.equal(weigh(['abc', 5, null], 1_000), 4 * 64 + 3)
  assert.equal(weigh({ a: new Uint8Array(10) }, 1_000), 2 * 64 + 10)
  assert.equal(weigh(new Map([['k', 'v']]), 1_000), 3 * 64 + 2)
  assert.ok(weigh(Array(1e7).fill(1), 1_000) > 1_000)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { Fault } from '#types/fault.ts'
import { createChannel } from './channel/channel.ts'
import { messagePortToChannelPort } from './channel/channel-port.ts'
import { systemClock as clock } from './clock.ts'
import {
  answerPorts,
  directPorts,
  forwardPorts,
  type OwnersOf,
  operation,
  type PortRequests,
  type PortTables,
} from './port-table.ts'

const TABLES = {
  pool: {
    status: operation<[], { readonly pending: number }>(),
    admit: operation<[raw: Uint8Array, isLocal?: boolean], string>(),
    refuse: operation<[], void>(),
  },
  peers: { slow: operation<[], void>({ deadlineMs: 5 }) },
} satisfies PortTables

/** An owner with state of its own: operations are called on it. */
class Pool {
  #count = 0

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

const owners = (): OwnersOf<typeof TABLES> => ({
  pool: new Pool(),
  peers: { slow: () => new Promise(() => undefined) },
})

function overChannel(t: TestContext, given: Partial<OwnersOf<typeof TABLES>>) {
  const { port1, port2 } = new MessageChannel()
  const options = { clock, onError: () => assert.fail() }
  type Main = { readonly requests: PortRequests }
  type Nothing = Record<never, never>
  const requests = answerPorts(TABLES, given)
  const main = createChannel<Main, Nothing>(messagePortToChannelPort(port1), { requests }, options)
  const server = createChannel<Nothing, Main>(messagePortToChannelPort(port2), {}, options)
  t.after(() => main.close())
  return forwardPorts(TABLES, server)
}

test('an operation is answered by its owner, over the channel and directly', async (t) => {
  for (const { pool } of [overChannel(t, owners()), directPorts(TABLES, owners())]) {
    assert.deepEqual(await pool.status(), { pending: 0 })
    assert.equal(await pool.admit(Uint8Array.of(1, 2)), '2 bytes')
    assert.equal(await pool.admit(Uint8Array.of(1), true), '1 bytes, local')
    assert.deepEqual(await pool.status(), { pending: 2 })
    await assert.rejects(pool.refuse(), { kind: 'POOL_FULL', message: 'The pool is full.' })
  }
})

test('a row may have a deadline of its own', async (t) => {
  await assert.rejects(overChannel(t, owners()).peers.slow(), { kind: 'DEADLINE_EXCEEDED' })
})

test('an owner that is absent answers nothing', async (t) => {
  const { pool } = overChannel(t, { peers: owners().peers })
  await assert.rejects(pool.status(), /offers pool\.status/)
})

test('what cannot pass a channel passes nowhere', async (t) => {
  const given = { ...owners(), pool: { ...new Pool(), status: () => ({ pending: (() => 1) as never }) } }
  const all = given as unknown as OwnersOf<typeof TABLES>
  for (const { pool } of [overChannel(t, all), directPorts(TABLES, all)]) {
    await assert.rejects(pool.status(), /could not be cloned/)
  }
})

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { Fault } from '#types/fault.ts'
import { createChannel } from './channel.ts'
import { messagePortToChannelPort } from './channel-port.ts'
import { type ChannelLimits, type Handlers, Transferring } from './channel-protocol.ts'

type Nothing = Record<never, never>
type Server = {
  requests: {
    add: { params: { a: bigint; b: bigint }; result: bigint }
    hold: { params: number; result: string }
    sum: { params: Uint8Array; result: Uint8Array }
  }
  streams: { count: { params: number; chunk: number }; fail: { params: number; chunk: number } }
  events: { headMoved: { number: number }; other: string }
}

type Context = Parameters<Handlers<Server>['requests']['hold']>[1]

/** Both ends over a MessageChannel, closed when the test ends; `hold` waits for the test to answer. */
export function channelScene(t: TestContext, limits: Partial<ChannelLimits> = {}) {
  const clock = createFakeClock()
  const { port1, port2 } = new MessageChannel()
  const errors: unknown[] = []
  const held: { value: number; context: Context; answer: PromiseWithResolvers<string> }[] = []
  const produced: number[] = []
  const ended: number[] = []
  const handlers: Handlers<Server> = {
    requests: {
      add: ({ a, b }) => a + b,
      hold: (value, context) => {
        const answer = Promise.withResolvers<string>()
        held.push({ value, context, answer })
        return answer.promise
      },
      sum: async (bytes) => new Transferring(bytes, [bytes.buffer as ArrayBuffer]),
    },
    streams: {
      async *count(limit) {
        try {
          for (let i = 0; i < limit; i += 1) {
            produced.push(i)
            yield i
          }
        } finally {
          ended.push(limit)
        }
      },
      async *fail(after) {
        for (let i = 0; i < after; i += 1) yield i
        throw new Fault('PRUNED', { sentence: 'Pruned.' })
      },
    },
  }
  const options = { clock, limits, onError: (error: unknown) => void errors.push(error) }
  const server = createChannel<Server, Nothing>(messagePortToChannelPort(port2), handlers, {
    ...options,
    peer: 'main',
  })
  const caller = createChannel<Nothing, Server>(
    messagePortToChannelPort(port1),
    {},
    { ...options, peer: 'thread x' },
  )
  t.after(() => caller.close())
  return { clock, caller, server, handlers, held, errors, produced, ended }
}

/** Waits turn by turn, never by time, until the condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    if (holds()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.fail(`never became true: ${holds}`)
}

/** When this resolves, all messages sent before have arrived. */
export const roundTrip = (s: ReturnType<typeof channelScene>) => s.caller.request('add', { a: 0n, b: 0n })

export const kindOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error) => error.kind ?? error,
  )

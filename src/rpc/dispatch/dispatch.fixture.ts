import assert from 'node:assert/strict'
import { any } from 'zod'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createLog } from '#platform/log/log.ts'
import { defineMethod, type Method } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { createRegistry } from '#rpc/registry/registry.ts'
import type { HandedResources } from '#rpc/resources.ts'
import { createDispatcher, type DispatcherOptions } from './dispatch.ts'
import type { Answer, CallContext } from './dispatcher.ts'

export function declare(name: string, run: Method['run']): Method {
  return defineMethod({
    name,
    summary: '',
    needs: [],
    params: { value: new Param(any(), 'INVALID_PARAMS').optional() },
    result: any(),
    run,
  })
}

const ECHO = declare('test_echo', (_resources, { value }) => value ?? null)

/** A dispatcher with these methods, and all that it tells the outside. */
export function setUp(methods: readonly Method[], options: Partial<DispatcherOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const counted: string[] = []
  const clock = createFakeClock()
  const resources: HandedResources = {
    node: {
      clientVersion: () => 'cairn',
      networkId: () => 1n,
      wallMs: () => clock.wallMs(),
    },
  }
  const dispatcher = createDispatcher({
    registry: createRegistry({ methods: [ECHO, ...methods], apis: ['TEST'] }),
    resources,
    limits: { maxBatchSize: 3 },
    prettyPrint: false,
    metrics: {
      onCall: (method, durationMs) => counted.push(`${method} ${durationMs} ms`),
      onError: (method, kind) => counted.push(`${method} ${kind}`),
    },
    log: createLog({
      level: 'ALL',
      format: 'JSON',
      clock,
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    }),
    clock,
    ...options,
  })
  const context: CallContext = {
    transport: 'http',
    caller: { mayCall: () => true },
    signal: new AbortController().signal,
    requestId: 'request-7',
  }
  const dispatch = (message: string, differences: Partial<CallContext> = {}) =>
    dispatcher.dispatch(Buffer.from(message), { ...context, ...differences })
  return { dispatch, lines, counted, clock, resources }
}

export const error = (id: string, code: number, message: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`

export async function chunksOf(answer: Answer): Promise<string[]> {
  assert(answer.kind !== 'nothing')
  return typeof answer.body === 'string' ? [answer.body] : await Array.fromAsync(answer.body)
}

/** Long enough for every promise that can settle by now. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

import assert from 'node:assert/strict'
import { any, type ZodType } from 'zod'
import type { Answer, CallContext } from '#jsonrpc/dispatcher.ts'
import { rpcError } from '#jsonrpc/errors.ts'
import {
  createMethod,
  type HandedResources,
  type Method,
  type MethodDefinition,
  Param,
  type ParamTable,
} from '#jsonrpc/method.ts'
import { createRegistry, type EnabledApis } from '#jsonrpc/registry/registry.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { type DispatcherOptions, MessageDispatcher } from './dispatch.ts'

interface TestResources {
  readonly apis: EnabledApis
  readonly chain: object
  readonly engine: object
  readonly peers: { isListening(): Promise<boolean> }
}

const ENGINE_RESOURCES = ['chain', 'engine'] as const

export function defineMethod<
  const Needs extends keyof TestResources,
  const Params extends ParamTable,
  Result extends ZodType,
  Resolved = undefined,
>(
  definition: MethodDefinition<
    TestResources,
    (typeof ENGINE_RESOURCES)[number],
    Needs,
    Params,
    Result,
    Resolved
  >,
): Method {
  return createMethod(definition, ENGINE_RESOURCES)
}

export function declare(name: string, run: Method['run']): Method {
  const params = { value: new Param(any(), 'INVALID_PARAMS').optional() }
  return defineMethod({ name, summary: '', needs: [], params, result: any(), run })
}

const TEST_API: ServedApi = {
  contracts: {},
  engineResources: ENGINE_RESOURCES,
  faults: {},
  absentMethods: new Map([['miner_start', rpcError('METHOD_NOT_ENABLED')]]),
  alwaysOverWebSocket: [],
  runOnEngine: async (method, resources, values, context) => await method.run(resources, values, context),
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
  const dispatcher = new MessageDispatcher({
    api: TEST_API,
    registry: createRegistry({
      methods: [ECHO, ...methods],
      apis: ['TEST'],
      absent: TEST_API.absentMethods,
    }),
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
  const dispatch = async (message: string, differences: Partial<CallContext> = {}) =>
    await dispatcher.dispatch(Buffer.from(message), { ...context, ...differences })
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

import type { TestContext } from 'node:test'
import type { Authenticator } from '#jsonrpc/auth/create-authenticator.ts'
import type { Answer, CallContext, Dispatcher } from '#jsonrpc/dispatcher.ts'
import { systemClock } from '#platform/clock.ts'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { keptLog } from '#serve/serve.fixture.ts'
import type { RunningServer } from '#serve/serve-http.ts'
import { type HttpServerOptions, startHttpServer } from './http.ts'
import { startWebSocketServer, type WebSocketServerOptions } from './websocket.ts'

/* Real sockets on loopback; only the other side of the seam, dispatcher and authenticator, is played here. */

export const CALL = '{"jsonrpc":"2.0","method":"eth_chainId","params":[],"id":1}'
export const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x539"}'
export const RESULT_ANSWER: Answer = { kind: 'single', error: null, body: RESULT }

export function dispatcherOf(
  run: (message: string, context: CallContext) => Answer | Promise<Answer>,
): Dispatcher {
  return { dispatch: async (message, context) => run(Buffer.from(message).toString(), context) }
}

/** Answers every message at once with the same result. */
export const promptDispatcher: Dispatcher = dispatcherOf(() => RESULT_ANSWER)

export const openAuthenticator: Authenticator = {
  refusesUnread: () => false,
  identify: () => ({ mayCall: () => true }),
  login: async () => ({ status: 400, reason: 'Authentication not enabled', contentType: null, body: '' }),
}

export const HEIGHT = 17
export const HTTP_LIMITS = { bodyMaxBytes: 1_000_000, timeoutMs: 30_000, streamingTimeoutMs: 600_000 }

function anyServer() {
  return {
    host: '127.0.0.1',
    port: 0,
    slots: createConnectionSlots(80),
    clock: systemClock,
    log: keptLog().log,
    dispatcher: promptDispatcher,
    authenticator: openAuthenticator,
    hostAllowlist: ['localhost', '127.0.0.1'],
    corsOrigins: [],
  }
}

export async function startHttp(
  t: TestContext,
  options: Partial<HttpServerOptions> = {},
): Promise<RunningServer> {
  const server = await startHttpServer({
    ...anyServer(),
    limits: HTTP_LIMITS,
    heights: { height: () => HEIGHT, onMoved: () => () => {} },
    health: async () => ({ peers: 0, blocksBehind: null, stalled: null, abstains: null }),
    ...options,
  })
  t.after(() => server.stop(AbortSignal.abort()))
  return server
}

export async function startWebSocket(
  t: TestContext,
  options: Partial<WebSocketServerOptions> = {},
): Promise<RunningServer> {
  const server = await startWebSocketServer({
    ...anyServer(),
    limits: { frameMaxBytes: 64 * 1024, timeoutMs: 30_000 },
    ...options,
  })
  t.after(() => server.stop(AbortSignal.abort()))
  return server
}

/** Connections of the embedding program, over the channel to main. */

import { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import type { Answer, Dispatcher } from '#jsonrpc/dispatcher.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import type { HandlerContext } from '#platform/channel/channel-protocol.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { joined } from '#serve/answer-text.ts'
import { assert } from '#types/assert.ts'

/** Waiting notifications; beyond either limit the program is disconnected. */
const WAITING_MAX = 100_000
const WAITING_MAX_CHARS = 16 * 1024 * 1024
/** With more than this, the program is behind. */
const SENT_MAX_CHARS = 256 * 1024

export interface InProcessCall {
  readonly message: string
  /** The connection id; undefined for a call without a connection. */
  readonly connection: number | undefined
}

export interface InProcessAnswer {
  /** Empty for a notification. */
  readonly text: string
  /** True if the call was refused for lack of a connection. */
  readonly lacksConnection: boolean
}

export class InProcessConnections {
  readonly #open = new Map<number, Notifier>()

  get(id: number): Notifier {
    const notifier = this.#open.get(id)
    assert(notifier !== undefined, 'A connection is opened before it is used.')
    return notifier
  }

  /** The connection is open when this returns; the signal closes it. */
  open(id: number, signal: AbortSignal): AsyncIterable<string> {
    const waiting = createBoundedQueue<string>({
      itemsMax: WAITING_MAX,
      bytesMax: WAITING_MAX_CHARS,
      sizeOf: (text) => text.length,
    })
    const slowness = new AbortController()
    const cutOff = (): void =>
      slowness.abort(
        rpcFault('LIMIT_EXCEEDED', {
          reason: 'too many notifications wait; take them sooner or ask for less',
        }),
      )
    const notifier = new Notifier({
      send: (text) => {
        if (!waiting.push(joined(text))) cutOff()
      },
      onOverflow: cutOff,
      isBehind: () => waiting.bytes > SENT_MAX_CHARS,
    })
    const ended = AbortSignal.any([signal, slowness.signal])
    ended.addEventListener(
      'abort',
      () => {
        this.#open.delete(id)
        notifier.close()
      },
      { once: true },
    )
    this.#open.set(id, notifier)
    return (async function* () {
      for (;;) {
        yield await waiting.take(ended)
        notifier.onProgress()
      }
    })()
  }
}

/** The embedding program may call every enabled API. */
export async function callInProcess(
  dispatcher: Dispatcher,
  connections: InProcessConnections,
  { message, connection }: InProcessCall,
  context: Pick<HandlerContext, 'signal'>,
): Promise<InProcessAnswer> {
  const notifier = connection === undefined ? undefined : connections.get(connection)
  let isHeld = false
  const answer = await dispatcher.dispatch(Buffer.from(message), {
    transport: 'http',
    caller: { mayCall: () => true },
    get connection() {
      if (!isHeld) notifier?.hold()
      isHeld = true
      return notifier
    },
    get signal() {
      return context.signal
    },
    requestId: 'in-process',
  })
  // Only once the answer has been sent over the channel.
  if (isHeld && notifier !== undefined) void nextTurn().then(() => notifier.release())
  return { text: await textOf(answer), lacksConnection: isHeld && notifier === undefined }
}

async function textOf(answer: Answer): Promise<string> {
  if (answer.kind === 'nothing') return ''
  return typeof answer.body === 'string' ? answer.body : (await Array.fromAsync(answer.body)).join('')
}

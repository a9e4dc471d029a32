/** Connections without a socket: of the program that the node is part of, over the channel to main. */
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import { Notifier } from '#rpc/dispatch/notifier.ts'
import { rpcFault } from '#rpc/errors.ts'
import { assert } from '#types/assert.ts'

/** Notifications that the program has not taken: beyond either it is cut off. */
const WAITING_MAX = 100_000
const WAITING_MAX_CHARS = 16 * 1024 * 1024
/** With more than this it is behind. */
const SENT_MAX_CHARS = 256 * 1024

export class InProcessConnections {
  readonly #open = new Map<number, Notifier>()

  get(id: number): Notifier {
    const notifier = this.#open.get(id)
    assert(notifier !== undefined, 'A connection is opened before it is used.')
    return notifier
  }

  /** It is open when this returns; the signal closes it. */
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
        if (!waiting.push(text)) cutOff()
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

import { platformFault } from '#platform/faults.ts'
import { Answerer, type UntypedHandlers } from './channel-answerer.ts'
import { RequestCaller } from './channel-caller.ts'
import { EventPublisher, EventReceiver } from './channel-events.ts'
import type { ChannelPort } from './channel-port.ts'
import {
  type CallOptions,
  CHANNEL_LIMITS,
  type Channel,
  type ChannelOptions,
  type EventContext,
  type Handlers,
  type Protocol,
  type TransferList,
} from './channel-protocol.ts'
import { StreamReader } from './channel-reader.ts'
import * as wire from './channel-wire.ts'

/*
 * A typed, symmetric channel between two threads: requests with deadline and cancel, streams and events with credit.
 * Nothing in it grows without bound: excess work is refused at once. It knows nothing about its content; thread.ts makes
 * the ports, rooms declare the protocols.
 */

/** This side offers `Local` and answers it with `handlers`; the other side offers `Remote`. */
export function createChannel<Local extends Protocol, Remote extends Protocol>(
  port: ChannelPort,
  handlers: Handlers<Local>,
  options: ChannelOptions,
): Channel<Local, Remote> {
  // The types above bind names to values; below them every name is a string and every value unknown.
  return new PortChannel(port, handlers as unknown as UntypedHandlers, options) as Channel<Local, Remote>
}

class PortChannel {
  readonly closed: Promise<Error>
  readonly #port: ChannelPort
  readonly #peer: string
  readonly #requests: RequestCaller
  readonly #streams: StreamReader
  readonly #answerer: Answerer
  readonly #publisher: EventPublisher
  readonly #hearer: EventReceiver
  readonly #resolveClosed: (reason: Error) => void
  #nextId = 1
  #isClosed = false

  constructor(port: ChannelPort, handlers: UntypedHandlers, options: ChannelOptions) {
    const { clock, peer = 'the other side' } = options
    const limits = { ...CHANNEL_LIMITS, ...options.limits }
    const send: wire.SendFrame = (frame, transfer) => {
      if (!this.#isClosed) port.post(frame, transfer)
    }
    this.#port = port
    this.#peer = peer
    this.#requests = new RequestCaller(send, clock, limits, peer)
    this.#streams = new StreamReader(send, clock, limits, peer)
    this.#answerer = new Answerer(send, clock, limits, peer, handlers)
    this.#publisher = new EventPublisher(send, limits, options.onError)
    this.#hearer = new EventReceiver(send, limits, options.onError)
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.closed = promise
    this.#resolveClosed = resolve
    port.onMessage((message) => this.#receive(message as wire.Frame))
    port.onClose((reason) => this.#end(reason ?? this.#closedFault(`by ${peer}`)))
  }

  request(name: string, params: unknown, options?: CallOptions): Promise<unknown> {
    return this.#requests.call(this.#nextId++, name, params, options)
  }

  stream(name: string, params: unknown, options?: CallOptions): AsyncGenerator<unknown, void, void> {
    return this.#streams.read(this.#nextId++, name, params, options)
  }

  publish(name: string, event: unknown, transfer?: TransferList) {
    return this.#publisher.publish(name, event, transfer)
  }

  eventsReady(name: string): Promise<void> {
    return this.#publisher.ready(name)
  }

  onEvent(
    name: string,
    listener: (event: unknown, context: EventContext) => void | Promise<void>,
  ): () => void {
    return this.#hearer.listen(name, listener)
  }

  close(): void {
    if (this.#isClosed) return
    this.#port.post([wire.CLOSE])
    this.#end(this.#closedFault('by this side'))
  }

  #receive(frame: wire.Frame): void {
    switch (frame[0]) {
      case wire.REQUEST:
        this.#answerer.onRequest(frame[1], frame[2], frame[3], frame[4])
        break
      case wire.RESULT:
        this.#requests.onResult(frame[1], frame[2])
        break
      case wire.FAILURE:
        this.#requests.onFailure(frame[1], frame[2])
        this.#streams.onFailure(frame[1], frame[2])
        break
      case wire.CANCEL:
        this.#answerer.onCancel(frame[1])
        break
      case wire.STREAM:
        this.#answerer.onStream(frame[1], frame[2], frame[3], frame[4], frame[5])
        break
      case wire.CHUNK:
        this.#streams.onChunk(frame[1], frame[2])
        break
      case wire.END:
        this.#requests.onEnd(frame[1])
        this.#streams.onEnd(frame[1])
        break
      case wire.STREAM_CREDIT:
        this.#answerer.onCredit(frame[1], frame[2])
        break
      case wire.EVENT:
        this.#hearer.onEvent(frame[1], frame[2], frame[3])
        break
      case wire.NEWS_CREDIT:
        this.#publisher.onCredit(frame[1], frame[2])
        break
      case wire.NEWS_STOP:
        this.#publisher.onStop(frame[1])
        break
      case wire.CLOSE:
        this.#end(this.#closedFault(`by ${this.#peer}`))
        break
    }
  }

  #end(reason: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#port.close()
    this.#requests.close(reason)
    this.#streams.close(reason)
    this.#answerer.close(reason)
    this.#publisher.close(reason)
    this.#hearer.close()
    this.#resolveClosed(reason)
  }

  #closedFault(how: string): Error {
    const sentence = `The channel to ${this.#peer} was closed ${how}.`
    return platformFault('CHANNEL_CLOSED', { sentence })
  }
}

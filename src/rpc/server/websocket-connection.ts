import type { IncomingHttpHeaders } from 'node:http'
import type { WebSocket } from 'ws'
import type { Clock } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import type { Log } from '#platform/log.ts'
import type { Authenticator } from '#rpc/auth/authenticator.ts'
import type { Answer, Dispatcher } from '#rpc/call.ts'
import { JsonScan } from '#rpc/scan-json.ts'
import type { Deadlines } from './deadlines.ts'
import { PARSE_ERROR_BODY } from './http-answers.ts'
import { traceparentOf } from './request-id.ts'
import type { ThrottledWarning } from './throttled-warning.ts'
import { WebSocketCall } from './websocket-call.ts'
import { type OutboxEvents, WebSocketOutbox } from './websocket-outbox.ts'

/** Calls of one connection under way at once; beyond it the connection is not read, and the client waits. */
const IN_FLIGHT_MAX = 16
/**
 * What is taken from one connection in one go; then it rests until the others had their turn. Without it the event
 * loop would read 2 MiB at a time from a client that floods, and whoever else waits would wait for all of it.
 */
const TURN_BYTES = 128 * 1024
/** What a message costs beside its bytes, in the same unit. */
const MESSAGE_COST_BYTES = 256
const GOING_AWAY = 1001

export interface WebSocketService {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly deadlines: Deadlines<WebSocketCall>
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Log
  readonly warnSlowReader: ThrottledWarning
}

/** One client: takes its messages, a few at a time, and sends answers in whatever order they are ready. */
export class WebSocketConnection implements OutboxEvents {
  readonly #service: WebSocketService
  readonly #socket: WebSocket
  readonly #authorization: string | undefined
  readonly #traceparent: string | undefined
  readonly #outbox: WebSocketOutbox
  readonly #calls = new Set<WebSocketCall>()
  /** What ws had already read when it was told to pause: at most one chunk of the socket. */
  readonly #unread: Buffer[] = []
  #isAlive = true
  #turnBytes = 0
  #isResting = false
  #takesMore = true

  constructor(service: WebSocketService, socket: WebSocket, handshake: IncomingHttpHeaders) {
    this.#service = service
    this.#socket = socket
    this.#authorization = handshake.authorization
    this.#traceparent = traceparentOf(handshake.traceparent)
    this.#outbox = new WebSocketOutbox(socket, this)
    socket.on('message', (message: Buffer) => this.#onMessage(message))
    socket.on('ping', () => this.#onSignOfLife())
    socket.on('pong', () => this.#onSignOfLife())
    // A violation of the protocol or of a limit: ws tells the client by its close code and closes.
    socket.on('error', (error) => service.log.debug('A WebSocket connection failed.', { err: error }))
    socket.on('close', () => this.#onClose())
  }

  /** Called at a steady pace: asks for a sign of life, and ends the connection that gave none since. */
  keepAlive(): void {
    if (!this.#isAlive) {
      this.#cutOff()
      return
    }
    // While calls are under way it is our turn, and the client may be paused.
    this.#isAlive = this.#calls.size > 0 && !this.#outbox.isBehind
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  /** Takes no further messages, answers what is under way and says goodbye. */
  close(): void {
    this.#takesMore = false
    this.#unread.length = 0
    this.#regulate()
  }

  onProgress(): void {
    this.#onSignOfLife()
    this.#regulate()
  }

  onOverflow(): void {
    this.#service.warnSlowReader()
    this.#cutOff()
  }

  onBroken(error: unknown): void {
    this.#service.log.error('A request failed while its answer was sent.', { err: error })
    this.#cutOff()
  }

  /** Without goodbye: the client does not listen, or the frames sent so far cannot be ended. */
  #cutOff(): void {
    this.#takesMore = false
    this.#unread.length = 0
    this.#socket.terminate()
  }

  #onSignOfLife(): void {
    this.#isAlive = true
  }

  #onMessage(message: Buffer): void {
    this.#onSignOfLife()
    if (!this.#takesMore) return
    if (this.#isBusy()) this.#unread.push(message)
    else this.#start(message)
    this.#regulate()
  }

  #start(message: Buffer): void {
    const { dispatcher, authenticator, deadlines, timeoutMs } = this.#service
    this.#turnBytes += message.length + MESSAGE_COST_BYTES
    if (this.#turnBytes >= TURN_BYTES) this.#rest()
    if (new JsonScan().feed(message) !== undefined) {
      this.#outbox.push(PARSE_ERROR_BODY)
      return
    }
    // Judged for every message: the token of the handshake may have expired since.
    const caller = authenticator.identify(this.#authorization)
    const call = new WebSocketCall(caller, timeoutMs, this.#traceparent)
    this.#calls.add(call)
    deadlines.watch(call)
    dispatcher.dispatch(message, call).then(
      (answer) => this.#finish(call, answer),
      (error: unknown) => {
        this.#service.log.error('A request failed while its answer was made.', {
          requestId: call.requestId,
          err: error,
        })
        this.#finish(call, { kind: 'nothing' })
      },
    )
  }

  #finish(call: WebSocketCall, answer: Answer): void {
    this.#calls.delete(call)
    this.#service.deadlines.forget(call)
    if (answer.kind !== 'nothing') this.#outbox.push(answer.body)
    this.#regulate()
  }

  #rest(): void {
    this.#turnBytes = 0
    this.#isResting = true
    const wake = (): void => {
      this.#isResting = false
      this.#regulate()
    }
    this.#service.clock.after(0, wake, { unref: true })
  }

  #isBusy(): boolean {
    return this.#isResting || this.#calls.size >= IN_FLIGHT_MAX || this.#outbox.isBehind
  }

  /** Reads while there is room, pauses while there is none: the client feels it as a slow network. */
  #regulate(): void {
    while (this.#unread.length > 0 && !this.#isBusy()) this.#start(this.#unread.shift()!)
    if (!this.#takesMore) this.#closeWhenDone()
    else if (this.#isBusy() || this.#unread.length > 0) this.#socket.pause()
    else if (this.#socket.isPaused) this.#socket.resume()
  }

  #closeWhenDone(): void {
    const isOpen = this.#socket.readyState === this.#socket.OPEN
    if (!isOpen || this.#calls.size > 0 || this.#outbox.isBehind) return
    // The client's own close frame must be read, or the goodbye would wait for its time-out.
    this.#socket.resume()
    this.#socket.close(GOING_AWAY, 'the node stops')
  }

  #onClose(): void {
    const reason = platformFault('CANCELLED', { sentence: 'The client closed the connection.' })
    this.#takesMore = false
    this.#unread.length = 0
    for (const call of this.#calls) {
      this.#service.deadlines.forget(call)
      call.abort(reason)
    }
  }
}

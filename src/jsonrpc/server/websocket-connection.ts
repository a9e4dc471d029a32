import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { Authenticator } from '#jsonrpc/auth/create-authenticator.ts'
import { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import { JsonScan } from '#jsonrpc/dispatch/scan-json.ts'
import type { Answer, CallContext, Dispatcher } from '#jsonrpc/dispatcher.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Clock } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import type { Log } from '#platform/log/log.ts'
import { addressOf } from '#serve/connections.ts'
import type { ThrottledWarning } from '#serve/throttled-warning.ts'
import type { BodyBudget } from './body-collector.ts'
import type { Deadlines } from './deadlines.ts'
import { PARSE_ERROR_BODY } from './http-answers.ts'
import { MessageMemory } from './message-memory.ts'
import { traceparentOf } from './request-id.ts'
import type { Backlog } from './websocket-backlog.ts'
import { WebSocketCall, type WebSocketOrigin } from './websocket-call.ts'
import { type OutboxEvents, WebSocketOutbox } from './websocket-outbox.ts'
import { type GuardedReceiver, guardReceiver, TRY_AGAIN_LATER } from './websocket-receiver.ts'
import { joinShortFrames } from './websocket-sender.ts'

/** Concurrent calls per connection; beyond it the connection is not read. */
const IN_FLIGHT_MAX = 16
/** Bytes taken from one connection before others get their turn; otherwise a flood would take 2 MiB at a time. */
const TURN_BYTES = 128 * 1024
/** The cost of a message besides its bytes. */
const MESSAGE_COST_BYTES = 256
const GOING_AWAY = 1001
/** The closest close code for a client that exceeds its limits. */
const POLICY_VIOLATION = 1008
const NOTHING_HELD = (): void => undefined
/** For a complete message: 4 MiB over 0.3 Mbit/s take less. */
const MESSAGE_TIMEOUT_MS = 120_000

export interface WebSocketService {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly deadlines: Deadlines<WebSocketCall>
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Log
  readonly warnSlowReader: ThrottledWarning
  readonly backlog: Backlog
  /** Called for every notification, with the sender of the last message of its connection. */
  readonly onNotified?: ((who: Pick<CallContext, 'caller' | 'remoteAddress'>) => void) | undefined
}

/** The server memory that a client may use; less for a client without a token. */
export interface Allowance {
  readonly frameMaxBytes: number
  /** For running messages; beyond it the connection is not read. */
  readonly underWayMaxBytes: number
  /** Shared with the other clients of the same standing. */
  readonly budget: BodyBudget
}

/** One client: takes a few of its messages at a time, and sends answers as they become ready. */
export class WebSocketConnection implements OutboxEvents {
  readonly #service: WebSocketService
  readonly #socket: WebSocket
  readonly #authorization: string | undefined
  readonly #origin: WebSocketOrigin
  readonly #outbox: WebSocketOutbox
  readonly #notifier: Notifier
  readonly #calls = new Set<WebSocketCall>()
  readonly #allowance: Allowance
  readonly #memory: MessageMemory
  readonly #receiver: GuardedReceiver
  /** Unpacked when the connection had to be paused. */
  #unread: Buffer | undefined
  #underWayBytes = 0
  #arrivingSinceMs = 0
  #isAlive = true
  #turnBytes = 0
  #isResting = false
  /** The payload of the last ping that was not answered. */
  #ping: Uint8Array | undefined
  #isPonging = false
  #takesMore = true
  #lastCall: WebSocketCall | undefined

  constructor(
    service: WebSocketService,
    socket: WebSocket,
    handshake: IncomingMessage,
    allowance: Allowance,
  ) {
    this.#service = service
    this.#socket = socket
    this.#allowance = allowance
    this.#memory = new MessageMemory(allowance.budget)
    this.#receiver = guardReceiver(socket, {
      frameMaxBytes: allowance.frameMaxBytes,
      mayRead: () => !this.#takesMore || (!this.#isBusy() && this.#unread === undefined),
      onArriving: (bytes) => this.#onArriving(bytes),
    })
    joinShortFrames(socket)
    const { headers, socket: source } = handshake
    this.#authorization = headers.authorization
    // Copied, because a closed socket forgets its address.
    this.#origin = {
      traceparent: traceparentOf(headers.traceparent),
      remoteAddress: addressOf(source),
    }
    this.#outbox = new WebSocketOutbox(socket, this, service.backlog)
    this.#notifier = new Notifier({
      send: (text) => {
        if (this.#lastCall !== undefined) service.onNotified?.(this.#lastCall)
        this.#outbox.push(text, NOTHING_HELD)
      },
      keep: (text) => this.#outbox.keep(text),
      letGo: () => this.#outbox.letGo(),
      onOverflow: () => this.#outbox.overflow(),
      isBehind: () => this.#outbox.isBehind,
    })
    socket.on('message', (message: Buffer) => this.#onMessage(message))
    socket.on('ping', (payload: Buffer) => this.#onPing(payload))
    socket.on('pong', () => this.#onSignOfLife())
    // A violation of the protocol or of a limit: ws sends the close code and closes.
    socket.on('error', (error) => this.#onFailed(error))
    socket.on('close', () => this.#onClose())
  }

  /** Called periodically: asks for a sign of life, and closes a connection that gave none since. */
  keepAlive(): void {
    if (!this.#isAlive || this.#isOverdue()) {
      this.#cutOff()
      return
    }
    // A client with running calls may be paused, so it need not answer.
    this.#isAlive = this.#calls.size > 0 && !this.#outbox.isBehind
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  /** Takes no further messages, answers running calls and closes. */
  close(): void {
    this.#takesMore = false
    this.#forgetUnread()
    this.#regulate()
  }

  onProgress(): void {
    this.#onSignOfLife()
    this.#notifier.onProgress()
    this.#regulate()
  }

  /** The client learns the reason when it reads again; ws cuts it off after its timeout. */
  onOverflow(): void {
    this.#service.warnSlowReader()
    this.#takesMore = false
    this.#forgetUnread()
    this.#end()
    this.#readOn()
    this.#socket.close(POLICY_VIOLATION, 'too much waits for this client: read faster or ask for less')
  }

  onBroken(error: unknown): void {
    this.#service.log.error(JSONRPC_PROBLEMS.answerFailed, { err: error })
    this.#cutOff()
  }

  /** Without a close frame: the client does not read, or a started message cannot be completed. */
  #cutOff(): void {
    this.#takesMore = false
    this.#forgetUnread()
    this.#socket.terminate()
  }

  /** The client gets the reason, which may take time; everything it sent is dropped. */
  #onFailed(error: Error): void {
    this.#service.log.debug('WebSocket connection failed', { err: error })
    this.#receiver.drop()
    this.#memory.abandon()
  }

  #onSignOfLife(): void {
    this.#isAlive = true
  }

  #onPing(payload: Buffer): void {
    this.#onSignOfLife()
    // Copied, because it is part of everything that was read with it.
    this.#ping = new Uint8Array(payload)
    this.#pong()
  }

  /** One at a time: the answer to the last ping answers those before it. */
  #pong(): void {
    if (this.#isPonging || this.#ping === undefined) return
    this.#isPonging = true
    this.#socket.pong(this.#ping, false, () => {
      this.#isPonging = false
      this.#pong()
    })
    this.#ping = undefined
  }

  #onArriving(bytes: number): boolean {
    if (!this.#memory.isArriving) this.#arrivingSinceMs = this.#service.clock.monotonicMs()
    return this.#memory.tryArrive(bytes)
  }

  #isOverdue(): boolean {
    const sinceMs = this.#service.clock.monotonicMs() - this.#arrivingSinceMs
    return this.#memory.isArriving && sinceMs >= MESSAGE_TIMEOUT_MS
  }

  #onMessage(message: Buffer): void {
    this.#onSignOfLife()
    this.#memory.hold(message.length)
    if (!this.#takesMore) this.#memory.free(message.length)
    else if (this.#isBusy()) this.#unread = message
    else this.#start(message)
    this.#regulate()
  }

  #forgetUnread(): void {
    if (this.#unread !== undefined) this.#memory.free(this.#unread.length)
    this.#unread = undefined
  }

  #start(message: Buffer): void {
    this.#turnBytes += message.length + MESSAGE_COST_BYTES
    if (this.#turnBytes >= TURN_BYTES) this.#rest()
    const scan = new JsonScan()
    if (scan.feed(message) !== undefined) {
      this.#memory.free(message.length)
      this.#outbox.push(PARSE_ERROR_BODY, NOTHING_HELD)
      return
    }
    const valueBytes = this.#memory.tryParse(scan.values)
    if (valueBytes === null) this.#refuseForRoom()
    else this.#dispatch(message, message.length + valueBytes)
  }

  #dispatch(message: Buffer, heldBytes: number): void {
    const { dispatcher, authenticator, deadlines, timeoutMs } = this.#service
    // For every message, because the token of the handshake may have expired.
    const caller = authenticator.identify(this.#authorization)
    const call = new WebSocketCall(caller, this.#notifier, timeoutMs, this.#origin)
    this.#lastCall = call
    this.#calls.add(call)
    this.#underWayBytes += heldBytes
    deadlines.watch(call)
    const answer = dispatcher.dispatch(message, call)
    if (!(answer instanceof Promise)) this.#finish(call, heldBytes, answer)
    else
      answer.then(
        (settled) => this.#finish(call, heldBytes, settled),
        (error: unknown) => {
          this.#service.log.error(JSONRPC_PROBLEMS.answerFailed, {
            requestId: call.requestId,
            err: error,
          })
          this.#finish(call, heldBytes, { kind: 'nothing' })
        },
      )
  }

  #finish(call: WebSocketCall, heldBytes: number, answer: Answer): void {
    this.#calls.delete(call)
    this.#service.deadlines.forget(call)
    // A batch is sent in pieces, and held until the last.
    const onSent = (): void => {
      this.#underWayBytes -= heldBytes
      this.#memory.free(heldBytes)
    }
    if (answer.kind === 'nothing') onSent()
    else this.#outbox.push(answer.body, onSent)
    call.onAnswered()
    this.#regulate()
  }

  #refuseForRoom(): void {
    this.#takesMore = false
    this.#socket.close(TRY_AGAIN_LATER, 'Too many large messages at once')
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
    const isFull =
      this.#calls.size >= IN_FLIGHT_MAX || this.#underWayBytes >= this.#allowance.underWayMaxBytes
    return this.#isResting || isFull || this.#outbox.isBehind
  }

  /** Reads while there is room and pauses otherwise, like a slow network. */
  #regulate(): void {
    const unread = this.#unread
    if (unread !== undefined && !this.#isBusy()) {
      this.#unread = undefined
      this.#start(unread)
    }
    if (!this.#takesMore) this.#closeWhenDone()
    else if (this.#isBusy()) this.#socket.pause()
    else if (this.#socket.isPaused) this.#readOn()
  }

  #readOn(): void {
    this.#socket.resume()
    this.#receiver.goOn()
  }

  #closeWhenDone(): void {
    const isOpen = this.#socket.readyState === this.#socket.OPEN
    if (!isOpen || this.#calls.size > 0 || this.#outbox.isBehind) return
    // The client's close frame must be read, or closing would wait for its timeout.
    this.#readOn()
    this.#socket.close(GOING_AWAY, 'the node stops')
  }

  #onClose(): void {
    this.#takesMore = false
    this.#memory.close()
    this.#outbox.close()
    this.#end()
  }

  /** Cancels running calls. */
  #end(): void {
    const reason = platformFault('CANCELLED', { sentence: 'The client closed the connection.' })
    this.#notifier.close()
    for (const call of this.#calls) {
      this.#service.deadlines.forget(call)
      call.abort(reason)
    }
  }
}

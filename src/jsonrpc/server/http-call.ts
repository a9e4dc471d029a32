import type { Answer, CallContext, Caller, Dispatcher } from '#jsonrpc/dispatcher.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import { type Clock, deadlineFault } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import type { Log } from '#platform/log/log.ts'
import type { AnswerBody } from '#serve/answer-text.ts'
import { addressOf } from '#serve/connections.ts'
import { type AnswerHead, INTERNAL_ERROR } from '#serve/http-answer.ts'
import type { Responder } from '#serve/responder.ts'
import type { HttpRequest } from '#serve/serve-http.ts'
import { type BodyBudget, BodyCollector, type BodyRefusal } from './body-collector.ts'
import { type Deadlines, type Expirable, LazyAbort } from './deadlines.ts'
import { HEIGHT_HEADER, type HeightGate, MIN_HEIGHT_HEADER } from './height-gate.ts'
import {
  BATCH_TIMED_OUT,
  BODY_REFUSED,
  CALL_TIMED_OUT,
  headOf,
  heightMissed,
  UNAUTHORIZED,
} from './http-answers.ts'
import { type BodyReceiver, readBody, type StopReading, type Unpackers } from './read-body.ts'
import { nameRequest, traceparentOf } from './request-id.ts'

export interface CallLimits {
  readonly bodyMaxBytes: number
  /** Until the first byte of the answer, and between its pieces. */
  readonly timeoutMs: number
  /** Until the last byte of an answer in pieces. */
  readonly streamingTimeoutMs: number
}

export interface CallService {
  readonly dispatcher: Dispatcher
  readonly heights: HeightGate
  readonly limits: CallLimits
  readonly unpackers: Unpackers
  readonly deadlines: Deadlines<HttpCall>
  readonly clock: Clock
  readonly log: Log
}

export interface BodyAllowance {
  readonly maxBytes: number
  readonly budget: BodyBudget
}

/** One POST to `/`, from the first byte of its body to the last byte of its answer. */
export class HttpCall implements CallContext, BodyReceiver, Expirable {
  readonly transport = 'http'
  readonly caller: Caller
  dueMs = 0
  readonly #service: CallService
  readonly #request: HttpRequest
  readonly #responder: Responder
  readonly #collector: BodyCollector
  readonly #abort = new LazyAbort()
  readonly #leastHeight: number
  #stopReading: StopReading | undefined
  #stopWaiting: (() => void) | undefined
  #requestId: string | undefined
  #isBatch = false
  #endMs = 0

  constructor(
    service: CallService,
    request: HttpRequest,
    responder: Responder,
    caller: Caller,
    { maxBytes, budget }: BodyAllowance,
    leastHeight: number,
  ) {
    this.#service = service
    this.#request = request
    this.#responder = responder
    this.#collector = new BodyCollector(maxBytes, budget)
    this.#leastHeight = leastHeight
    this.caller = caller
  }

  start(): void {
    this.#stopReading = readBody(this.#request, this.#service.unpackers, this.#collector, this)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get requestId(): string {
    this.#requestId ??= nameRequest('http')
    return this.#requestId
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.#request.headers.traceparent)
  }

  get remoteAddress(): string {
    return addressOf(this.#request.socket)
  }

  onBody(body: Uint8Array): void {
    const { heights, deadlines } = this.#service
    this.#isBatch = startsList(body)
    deadlines.watch(this)
    // A caller without a valid token learns no height and cannot make a request wait.
    if (this.caller.isAnonymous) {
      this.#dispatch(body)
      return
    }
    this.#stopWaiting = heights.wait(this.#leastHeight, (verdict) => {
      if (this.#abort.isAborted) return
      const { height } = heights
      this.#tellHeight(height)
      if (verdict === 'reached') this.#dispatch(body)
      else this.#responder.send(heightMissed(verdict, this.#leastHeight, height))
    })
  }

  #tellHeight(height: number): void {
    this.#responder.addHeader(HEIGHT_HEADER, String(height))
    // Pages that do not use heights get Besu's headers.
    const { origin, [MIN_HEIGHT_HEADER]: asked } = this.#request.headers
    if (origin !== undefined && asked !== undefined)
      this.#responder.addHeader('access-control-expose-headers', HEIGHT_HEADER)
  }

  #dispatch(body: Uint8Array): void {
    const { dispatcher } = this.#service
    const answer = dispatcher.dispatch(body, this)
    if (!(answer instanceof Promise)) this.#answer(answer)
    else
      answer.then(
        (settled) => this.#answer(settled),
        (error) => this.#fail(error),
      )
  }

  onDecoded(): void {
    this.#collector.free()
  }

  onBodyRefused(reason: BodyRefusal): void {
    if (reason === 'too-large' && this.caller.isAnonymous) {
      this.caller.noteRefusal?.({ requestId: this.requestId })
      this.#responder.send(UNAUTHORIZED)
    } else this.#responder.send(BODY_REFUSED[reason])
  }

  onDeadline(): void {
    this.#abort.abort(deadlineFault(this.#service.limits.timeoutMs, 'The call'))
    if (this.#responder.hasBegun) this.#responder.breakOff()
    else this.#responder.send(this.#isBatch ? BATCH_TIMED_OUT : CALL_TIMED_OUT)
  }

  /** Called when the answer is sent, or the client has left before. */
  onClosed(isComplete: boolean): void {
    this.#service.deadlines.forget(this)
    this.#stopReading?.()
    this.#stopWaiting?.()
    this.#collector.release()
    if (!isComplete)
      this.#abort.abort(platformFault('CANCELLED', { sentence: 'The client closed the connection.' }))
  }

  #answer(answer: Answer): void {
    const body = answer.kind === 'nothing' ? '' : answer.body
    const head = headOf(answer)
    if (answer.kind === 'single' && answer.retryAfterSeconds !== undefined)
      this.#responder.addHeader('retry-after', String(answer.retryAfterSeconds))
    if (this.#abort.isAborted) discard(body)
    else if (this.#responder.isShort(body)) this.#responder.sendWhole(head, body)
    else this.#stream(head, body)
  }

  #stream(head: AnswerHead, body: AnswerBody): void {
    const { clock, limits } = this.#service
    this.#endMs = clock.monotonicMs() + limits.streamingTimeoutMs
    this.#responder
      .sendPieces(head, body, () => this.#onProgress())
      .catch((error: unknown) => this.#fail(error))
  }

  /** A client that reads slowly gets more time, up to the limit for the complete answer. */
  #onProgress(): void {
    const { clock, deadlines } = this.#service
    if (!this.#abort.isAborted && clock.monotonicMs() < this.#endMs) deadlines.watch(this)
  }

  #fail(error: unknown): void {
    if (this.#abort.isAborted) return
    this.#service.log.error(JSONRPC_PROBLEMS.answerFailed, {
      requestId: this.requestId,
      err: error,
    })
    if (this.#responder.hasBegun) this.#responder.breakOff()
    else this.#responder.send(INTERNAL_ERROR)
  }
}

/** Lets a streamed body that no one will read free its resources. */
function discard(body: AnswerBody): void {
  if (typeof body === 'string') return
  // Its reader is gone, so errors do not matter.
  body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined)
}

const OPENING_BRACKET = 0x5b
const SPACE = 0x20

/** Needed before parsing, since a timeout is answered differently for a batch. */
function startsList(body: Uint8Array): boolean {
  let at = 0
  // Skips blanks and a byte order mark.
  while (at < body.length && (body[at]! <= SPACE || body[at]! >= 0x80)) at += 1
  return body[at] === OPENING_BRACKET
}

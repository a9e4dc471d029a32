import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { AnswerBody } from './answer-text.ts'
import { PIECE_CHARS, piecesOf } from './answer-text.ts'
import { type Compressors, compress, ON_THE_SPOT_MAX_CHARS } from './compress.ts'
import type { AnswerHead, HttpAnswer } from './http-answer.ts'
import { type ContentCoding, chooseCoding } from './negotiate.ts'

const VARY: readonly string[] = ['vary', 'origin']

/** Writes the one answer of a request: headers in a flat list and body in one call, or in pieces. */
export class Responder {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #compressors: Compressors
  #commonHeaders: readonly string[] = []
  #closes = false

  constructor(request: IncomingMessage, response: ServerResponse, compressors: Compressors) {
    this.#request = request
    this.#response = response
    this.#compressors = compressors
    response.sendDate = false
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  /** Past the gate of origins every answer says that it depends on the origin. */
  admitOrigin(origin: string | undefined): void {
    this.#commonHeaders = origin === undefined ? VARY : [...VARY, 'access-control-allow-origin', origin]
  }

  /** Goes with the answer, whichever that will be. */
  addHeader(name: string, value: string): void {
    this.#commonHeaders = [...this.#commonHeaders, name, value]
  }

  /** The server stops: after this answer the client shall look elsewhere. */
  closeAfterwards(): void {
    this.#closes = true
  }

  /** Told when the answer is out, or the client has left before. */
  onClosed(listener: () => void): void {
    this.#response.once('close', listener)
  }

  send(answer: HttpAnswer): void {
    if (answer.closes) this.#closes = true
    this.sendWhole(answer, answer.body, answer.headers)
  }

  /** Whether a body is short enough for `sendWhole`. */
  isShort(body: AnswerBody): body is string {
    if (typeof body !== 'string' || body.length > PIECE_CHARS) return false
    return body.length <= ON_THE_SPOT_MAX_CHARS || this.#coding() === null
  }

  sendWhole(head: AnswerHead, body: string, further?: readonly string[]): void {
    const headers = this.#headers(head)
    if (further !== undefined) headers.push(...further)
    const coding = body === '' ? null : this.#coding()
    const payload = coding === null ? body : compress(body, coding)
    if (coding !== null) headers.push('content-encoding', coding)
    const isBodiless = this.#request.method === 'HEAD' || head.status === 204
    if (!isBodiless) headers.push('content-length', String(byteLength(payload)))
    this.#response.writeHead(head.status, head.reason, headers)
    this.#response.end(payload)
  }

  /**
   * Sends a long body piece by piece, each when the client has taken the one before; so the client decides the
   * pace and a few pieces are all that is held for it. Rejects with what the body throws.
   */
  async sendPieces(head: AnswerHead, body: AnswerBody, onProgress: () => void): Promise<void> {
    let sink: Writable | undefined
    for await (const piece of piecesOf(body)) {
      if (this.#response.destroyed) return
      sink ??= this.#begin(head, body)
      if (!sink.write(piece)) await untilWritable(sink)
      onProgress()
    }
    if (this.#response.destroyed) return
    sink ??= this.#begin(head, body)
    sink.end()
  }

  /** For an answer that can neither go on nor be taken back. */
  breakOff(): void {
    this.#response.destroy()
  }

  #begin(head: AnswerHead, body: AnswerBody): Writable {
    const response = this.#response
    const headers = this.#headers(head)
    const coding = this.#coding()
    const compressor = coding === null ? null : this.#compressors.take(coding)
    if (compressor === null) {
      if (typeof body === 'string') headers.push('content-length', String(Buffer.byteLength(body)))
      response.writeHead(head.status, head.reason, headers)
      return response
    }
    headers.push('content-encoding', coding as ContentCoding)
    response.writeHead(head.status, head.reason, headers)
    compressor.pipe(response)
    response.once('close', () => compressor.destroy())
    return compressor
  }

  #headers(head: AnswerHead): string[] {
    const headers = [...this.#commonHeaders]
    if (head.contentType !== null) headers.push('content-type', head.contentType)
    if (this.#closes) headers.push('connection', 'close')
    return headers
  }

  #coding(): ContentCoding | null {
    return chooseCoding(this.#request.headers['accept-encoding'] as string | undefined)
  }
}

function byteLength(payload: string | Buffer): number {
  return typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
}

/** Also ends when the client leaves; whoever waits looks at the response again. */
function untilWritable(sink: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const settle = (): void => {
    sink.off('drain', settle)
    sink.off('close', settle)
    resolve()
  }
  sink.on('drain', settle)
  sink.on('close', settle)
  return promise
}

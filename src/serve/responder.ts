import type { IncomingHttpHeaders } from 'node:http'
import type { Transform, Writable } from 'node:stream'
import { createDeflate, createGzip, deflateSync, gzipSync } from 'node:zlib'
import type { AnswerBody } from './answer-text.ts'
import { PIECE_CHARS, piecesOf } from './answer-text.ts'
import type { AnswerHead, HttpAnswer } from './http-answer.ts'
import type { ResponseWire } from './response-wire.ts'
import { storeGzip } from './stored-gzip.ts'

const VARY: readonly string[] = ['vary', 'origin']

/**
 * Answers up to this size are compressed synchronously, which is faster than a trip to the thread pool. The small window
 * and memory level do not affect the size of such short texts and avoid the 256 KiB that zlib allocates otherwise.
 */
const ON_THE_SPOT_MAX_CHARS = 16 * 1024
const ON_THE_SPOT = { windowBits: 14, memLevel: 5 }
/** Shorter answers become hardly shorter, and compressing them costs more than a short request. */
const WORTH_COMPRESSING_CHARS = 512

/** The thread pool also writes the database, so long answers may occupy only this many threads. */
const STREAMS_MAX = 2
const STREAM_PIECE_BYTES = 64 * 1024

/** The parts of a request on which its answer depends. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** Writes the one answer of a request: headers in a flat list and the body in one call, or in pieces. */
export class Responder {
  readonly #request: RequestHead
  readonly #wire: ResponseWire
  readonly #compressors: Compressors
  #commonHeaders: readonly string[] = []
  #closes = false

  constructor(request: RequestHead, wire: ResponseWire, compressors: Compressors) {
    this.#request = request
    this.#wire = wire
    this.#compressors = compressors
  }

  get hasBegun(): boolean {
    return this.#wire.hasBegun
  }

  /** Once the origin is checked, every answer declares that it depends on the origin. */
  admitOrigin(origin: string | undefined): void {
    const allowed = origin === undefined ? [] : ['access-control-allow-origin', origin]
    this.#commonHeaders = [...this.#commonHeaders, ...VARY, ...allowed]
  }

  /** Adds a header to whatever answer follows. */
  addHeader(name: string, value: string): void {
    this.#commonHeaders = [...this.#commonHeaders, name, value]
  }

  /** Closes the connection after this answer, because the server is stopping. */
  closeAfterwards(): void {
    this.#closes = true
  }

  /** Calls the listener when the answer was sent, or when the client has left before. */
  onClosed(listener: () => void): void {
    this.#wire.onClosed(listener)
  }

  send(answer: HttpAnswer): void {
    if (answer.closes) this.#closes = true
    this.sendWhole(answer, answer.body, answer.headers)
  }

  /** True if the body is short enough for `sendWhole`. */
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
    this.#wire.send(head.status, head.reason, headers, payload)
  }

  /** Sends bytes as they are. `further` names their coding, if they are packed. */
  sendBytes(head: AnswerHead, bytes: Buffer, further: readonly string[]): void {
    const headers = [...this.#headers(head), ...further, 'content-length', String(bytes.length)]
    this.#wire.send(head.status, head.reason, headers, this.#request.method === 'HEAD' ? '' : bytes)
  }

  /**
   * Sends a long body piece by piece, each when the client has taken the one before. The client sets the pace, and only a
   * few pieces are in memory. Rejects with the error that the body throws.
   */
  async sendPieces(head: AnswerHead, body: AnswerBody, onProgress: () => void): Promise<void> {
    let sink: Writable | undefined
    for await (const piece of piecesOf(body)) {
      if (this.#wire.isGone) return
      sink ??= this.#begin(head, body)
      if (!sink.write(piece)) await untilWritable(sink)
      onProgress()
    }
    if (this.#wire.isGone) return
    sink ??= this.#begin(head, body)
    sink.end()
  }

  /** For an answer that can neither continue nor be withdrawn. */
  breakOff(): void {
    this.#wire.destroy()
  }

  #begin(head: AnswerHead, body: AnswerBody): Writable {
    const headers = this.#headers(head)
    const coding = this.#coding()
    const compressor = coding === null ? null : this.#compressors.take(coding)
    if (compressor === null) {
      if (typeof body === 'string') headers.push('content-length', String(Buffer.byteLength(body)))
      return this.#wire.begin(head.status, head.reason, headers)
    }
    headers.push('content-encoding', coding as ContentCoding)
    compressor.pipe(this.#wire.begin(head.status, head.reason, headers))
    this.#wire.onClosed(() => compressor.destroy())
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

/** Also resolves when the client leaves, so the caller checks the response again. */
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

/** As in Besu, an answer has the coding that its client accepts, however short it is. */
function compress(text: string, coding: ContentCoding): Buffer {
  if (coding === 'gzip' && text.length < WORTH_COMPRESSING_CHARS) return storeGzip(text)
  return coding === 'gzip' ? gzipSync(text, ON_THE_SPOT) : deflateSync(text, ON_THE_SPOT)
}

/** Provides streaming compressors; null if all are in use, so the answer is sent uncompressed. */
export class Compressors {
  #inUse = 0

  take(coding: ContentCoding): Transform | null {
    if (this.#inUse === STREAMS_MAX) return null
    this.#inUse += 1
    const options = { chunkSize: STREAM_PIECE_BYTES }
    const stream = coding === 'gzip' ? createGzip(options) : createDeflate(options)
    stream.once('close', () => {
      this.#inUse -= 1
    })
    return stream
  }
}

export type ContentCoding = 'gzip' | 'deflate'

interface Choice {
  readonly value: string
  /** The client's weight, from 0 to 1. */
  readonly weight: number
}

/** True if an Accept header allows application/json. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true
  const choices = parseChoices(accept)
  return choices.length === 0 || allowsOne(choices, 'application/json', 'application/*', '*/*', '*')
}

/** True if an Accept header names text: browsers and curl do, programs that check a node mostly send none. */
export function acceptsText(accept: string | undefined): boolean {
  if (accept === undefined) return false
  return allowsOne(parseChoices(accept), 'text/plain', 'text/html', 'text/*', '*/*')
}

/** The most specific range decides, so `application/json;q=0, *\/*` is a refusal. */
function allowsOne(choices: ReturnType<typeof parseChoices>, ...ranges: readonly string[]): boolean {
  const named = ranges.map((range) => choices.find(({ value }) => value === range)?.weight)
  return (named.find((weight) => weight !== undefined) ?? 0) > 0
}

/** Chooses gzip or deflate, as Besu does; gzip wins a tie, and `*` means gzip. Null means uncompressed. */
export function chooseCoding(acceptEncoding: string | undefined): ContentCoding | null {
  if (acceptEncoding === undefined || acceptEncoding === 'identity') return null
  const choices = parseChoices(acceptEncoding)
  const weightOf = (...names: string[]) => choices.find(({ value }) => names.includes(value))?.weight
  const any = weightOf('*') ?? 0
  const gzip = weightOf('gzip', 'x-gzip') ?? any
  const deflate = weightOf('deflate') ?? 0
  if (gzip <= 0 && deflate <= 0) return null
  return gzip >= deflate ? 'gzip' : 'deflate'
}

/** A coding that this server can decompress. Any other body is read as it is and fails to parse. */
export function codingOf(contentEncoding: string | undefined): ContentCoding | null {
  if (contentEncoding === undefined) return null
  const name = contentEncoding.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === 'deflate' ? 'deflate' : null
}

function parseChoices(header: string): Choice[] {
  const choices: Choice[] = []
  for (const item of header.split(',')) {
    const [value = '', ...parameters] = item.split(';')
    const name = value.trim().toLowerCase()
    if (name !== '') choices.push({ value: name, weight: weightIn(parameters) })
  }
  return choices
}

function weightIn(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)
    if (match !== null) return Number(match[1]) || 0
  }
  return 1
}

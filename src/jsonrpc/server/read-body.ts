import type { IncomingMessage } from 'node:http'
import { type Readable, Writable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { PlainRequest } from '#serve/plain-request.ts'
import { type ContentCoding, codingOf } from '#serve/responder.ts'
import type { HttpRequest } from '#serve/serve-http.ts'
import { type BodyCollector, type BodyRefusal, freeChunk } from './body-collector.ts'

/** Large pieces: each one is a trip to the thread pool that database commits share. */
const UNPACKED_PIECE_BYTES = 64 * 1024

/** Exactly one of the two is called, unless the client leaves first. */
export interface BodyReceiver {
  onBody(body: Uint8Array): void
  /** The rest of the body is read and dropped, so the connection stays usable. */
  onBodyRefused(reason: BodyRefusal): void
}

/** Must be called before the collector is released, since unpacked bytes arrive asynchronously. */
export type StopReading = () => void

export function readBody(
  request: HttpRequest,
  unpackers: Unpackers,
  collector: BodyCollector,
  receiver: BodyReceiver,
): StopReading {
  if (request instanceof PlainRequest) {
    const refusal = collector.add(request.body)
    if (refusal === null) receiver.onBody(collector.body)
    else receiver.onBodyRefused(refusal)
    return () => undefined
  }
  const coding = codingOf(request.headers['content-encoding'])
  if (coding === null) return readPlainBody(request, collector, receiver)
  return readPackedBody(request, coding, unpackers, collector, receiver)
}

function readPlainBody(
  request: IncomingMessage,
  collector: BodyCollector,
  receiver: BodyReceiver,
): StopReading {
  let isOver = false
  request.on('data', (chunk: Buffer) => {
    if (isOver) return freeChunk(chunk)
    const refusal = collector.add(chunk)
    if (refusal === null) return
    isOver = true
    receiver.onBodyRefused(refusal)
  })
  request.on('end', () => {
    if (isOver) return
    isOver = true
    receiver.onBody(collector.body)
  })
  return () => {
    isOver = true
  }
}

/** Reads and frees an unwanted body, so the connection stays usable. Node would read it without freeing the memory. */
export function discardBody(request: Readable): void {
  request.on('data', freeChunk).resume()
}

/** The collector sees unpacked bytes, so its limits apply to what a small packed body expands to. */
function readPackedBody(
  request: IncomingMessage,
  coding: ContentCoding,
  unpackers: Unpackers,
  collector: BodyCollector,
  receiver: BodyReceiver,
): StopReading {
  const options = { chunkSize: UNPACKED_PIECE_BYTES }
  const unpacked = coding === 'gzip' ? createGunzip(options) : createInflate(options)
  let endTurn = (): void => undefined
  const inTurn = (work: (onDone: () => void) => void, onDone: () => void): void =>
    unpackers.take((end) => {
      endTurn = end
      if (unpacked.destroyed) end()
      else
        work(() => {
          end()
          onDone()
        })
    })
  const packed = new Writable({
    write: (chunk: Buffer, _encoding, onDone) => inTurn((done) => unpacked.write(chunk, done), onDone),
    final: (onDone) => inTurn((done) => unpacked.end(done), onDone),
  })
  const stop = (): void => {
    request.unpipe(packed)
    discardBody(request)
    unpacked.destroy()
  }
  const refuse = (reason: BodyRefusal): void => {
    stop()
    receiver.onBodyRefused(reason)
  }
  unpacked.on('data', (chunk: Buffer) => {
    const refusal = collector.add(chunk)
    if (refusal !== null) refuse(refusal)
  })
  unpacked.on('end', () => receiver.onBody(collector.body))
  unpacked.on('error', () => refuse('malformed'))
  // A stream destroyed while it works does not report an end.
  unpacked.on('close', () => endTurn())
  request.pipe(packed)
  return stop
}

/** Unpacking uses the thread pool that database commits share. */
const AT_ONCE_MAX = 4

/** Limits concurrent unpacking; each further body waits with at most one piece. */
export class Unpackers {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Calls `start` now or later; it must call `end`, and may do so again. */
  take(start: (end: () => void) => void): void {
    if (this.#running === AT_ONCE_MAX) this.#waiting.push(() => this.#begin(start))
    else this.#begin(start)
  }

  #begin(start: (end: () => void) => void): void {
    this.#running += 1
    let isRunning = true
    start(() => {
      if (!isRunning) return
      isRunning = false
      this.#running -= 1
      this.#waiting.shift()?.()
    })
  }
}

import type { IncomingMessage } from 'node:http'
import { type Readable, Writable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { type ContentCoding, codingOf } from '#serve/negotiate.ts'
import type { BodyCollector, BodyRefusal } from './body-collector.ts'
import { freeChunk } from './free-chunk.ts'
import type { Unpackers } from './unpackers.ts'

/** Large pieces: each one is a trip to the thread pool that the database's commits share. */
const UNPACKED_PIECE_BYTES = 64 * 1024

/** Exactly one of the two is called, unless the client leaves first. */
export interface BodyReceiver {
  onBody(body: Uint8Array): void
  /** The rest of the body is read and thrown away, so that the connection stays usable. */
  onBodyRefused(reason: BodyRefusal): void
}

/** Ends the reading. Whoever releases the collector must call it first, since unpacked bytes come when they come. */
export type StopReading = () => void

export function readBody(
  request: IncomingMessage,
  unpackers: Unpackers,
  collector: BodyCollector,
  receiver: BodyReceiver,
): StopReading {
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

/** Reads what nobody wants, so that the connection stays usable. Node would do it too, and leave the memory behind. */
export function discardBody(request: Readable): void {
  request.on('data', freeChunk).resume()
}

/** The collector sees unpacked bytes only, so its limits hold for what a small packed body swells to. */
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
  // What is destroyed at its work does not say that it is done.
  unpacked.on('close', () => endTurn())
  request.pipe(packed)
  return stop
}

import type { IncomingMessage } from 'node:http'
import { createGunzip, createInflate } from 'node:zlib'
import type { BodyBudget } from './body-budget.ts'
import type { BodyCollector, BodyRefusal } from './body-collector.ts'
import { type ContentCoding, codingOf } from './negotiate.ts'

/** Large pieces: each one is a trip to the thread pool that the database's commits share. */
const UNPACKED_PIECE_BYTES = 64 * 1024

/** Exactly one of the two is called, unless the client leaves first. */
export interface BodyReceiver {
  onBody(body: Uint8Array): void
  /** The rest of the body is read and thrown away, so that the connection stays usable. */
  onBodyRefused(reason: BodyRefusal): void
}

export function readBody(
  request: IncomingMessage,
  budget: BodyBudget,
  collector: BodyCollector,
  receiver: BodyReceiver,
): void {
  const coding = codingOf(request.headers['content-encoding'])
  if (coding === null) readPlainBody(request, collector, receiver)
  else if (budget.tryUnpack()) readPackedBody(request, coding, budget, collector, receiver)
  else receiver.onBodyRefused('no-room')
}

function readPlainBody(request: IncomingMessage, collector: BodyCollector, receiver: BodyReceiver): void {
  let isOver = false
  request.on('data', (chunk: Buffer) => {
    if (isOver) return
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
}

/** The collector sees unpacked bytes only, so its limits hold for what a small packed body swells to. */
function readPackedBody(
  request: IncomingMessage,
  coding: ContentCoding,
  budget: BodyBudget,
  collector: BodyCollector,
  receiver: BodyReceiver,
): void {
  const options = { chunkSize: UNPACKED_PIECE_BYTES }
  const unpacked = coding === 'gzip' ? createGunzip(options) : createInflate(options)
  const refuse = (reason: BodyRefusal): void => {
    request.unpipe(unpacked)
    request.resume()
    unpacked.destroy()
    receiver.onBodyRefused(reason)
  }
  unpacked.on('data', (chunk: Buffer) => {
    const refusal = collector.add(chunk)
    if (refusal !== null) refuse(refusal)
  })
  unpacked.on('end', () => receiver.onBody(collector.body))
  unpacked.on('error', () => refuse('malformed'))
  unpacked.on('close', () => budget.endUnpack())
  // A client that leaves in the middle ends neither stream: free the unpacker's memory.
  request.on('close', () => {
    if (!request.complete) unpacked.destroy()
  })
  request.pipe(unpacked)
}

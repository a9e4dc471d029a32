import { AssertionFailure } from '#types/assert.ts'
import { Fault, type FaultData } from '#types/fault.ts'
import type { TransferList } from './channel-protocol.ts'

/* Frames are short arrays that begin with a small number, the cheapest shape for structured clone. */
export const REQUEST = 0
export const RESULT = 1
export const FAILURE = 2
export const CANCEL = 3
export const STREAM = 4
export const CHUNK = 5
/** Ends a stream or a cancelled request and frees its slot. */
export const END = 6
export const STREAM_CREDIT = 7
export const EVENT = 8
/** The first one for a name announces a listener. */
export const NEWS_CREDIT = 9
export const NEWS_STOP = 10
export const CLOSE = 11

export type Frame =
  | readonly [typeof REQUEST, id: number, name: string, params: unknown, deadlineAtMs: number]
  | readonly [typeof RESULT, id: number, result: unknown]
  | readonly [typeof FAILURE, id: number, error: ErrorFrame]
  | readonly [typeof CANCEL, id: number]
  | readonly [typeof STREAM, id: number, name: string, params: unknown, deadlineAtMs: number, window: number]
  | readonly [typeof CHUNK, id: number, chunk: unknown]
  | readonly [typeof END, id: number]
  | readonly [typeof STREAM_CREDIT, id: number, count: number]
  | readonly [typeof EVENT, name: string, sequence: number, event: unknown]
  | readonly [typeof NEWS_CREDIT, name: string, count: number]
  | readonly [typeof NEWS_STOP, name: string]
  | readonly [typeof CLOSE]

export type SendFrame = (frame: Frame, transfer?: TransferList) => void

const CAUSES_MAX = 8

/** An encoded error: kind and data for a Fault; name, message and stack text for anything else. */
export interface ErrorFrame {
  readonly kind?: string
  readonly data?: FaultData
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly cause?: ErrorFrame
}

export function encodeError(error: unknown, depth = 0): ErrorFrame {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: String(error) }
  const { name, message, cause } = error
  return {
    ...(error instanceof Fault && { kind: error.kind, data: error.data }),
    name,
    message,
    stack: String(error.stack),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: encodeError(cause, depth + 1) }),
  }
}

/** Removes everything that structured clone could refuse. A Fault keeps only its sentence. */
export function withoutDetails(error: ErrorFrame): ErrorFrame {
  const { data, cause, ...rest } = error
  return {
    ...rest,
    ...(data && { data: { sentence: data.sentence } }),
    ...(cause && { cause: withoutDetails(cause) }),
  }
}

export function decodeError(frame: ErrorFrame): Error {
  const options = frame.cause === undefined ? undefined : { cause: decodeError(frame.cause) }
  const error = createError(frame, options)
  // Keeps the other side's stack: the local one only shows that a message arrived.
  error.stack = frame.stack
  return error
}

function createError(frame: ErrorFrame, options: { cause: Error } | undefined): Error {
  if (frame.kind !== undefined)
    return new Fault(frame.kind, frame.data ?? { sentence: frame.message }, options)
  if (frame.name === 'AssertionFailure') return new AssertionFailure(frame.message, options)
  return Object.assign(new Error(frame.message, options), { name: frame.name })
}

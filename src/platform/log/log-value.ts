import { Secret } from '#platform/secret.ts'
import { Fault } from '#types/fault.ts'

/* These limits bound the time and disk space of a careless log call. */
const DEPTH_MAX = 6
const ITEMS_MAX = 100
const STRING_MAX_CHARS = 8_192
const BYTES_SHOWN_MAX = 256

export type LogValue =
  | string
  | number
  | boolean
  | null
  | readonly LogValue[]
  | { readonly [key: string]: LogValue }

export interface LogError {
  readonly [key: string]: LogValue
  readonly type: string
  readonly message: string
  readonly stack: string
}

/** Turns any value into plain JSON data: secrets masked, bytes as hex, bigints as text, large values cut. */
export function presentValue(value: unknown, depth = 0): LogValue {
  switch (typeof value) {
    case 'string':
      return cutText(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : presentObject(value, depth)
    case 'function':
      return '[function]'
    default:
      return String(value)
  }
}

function presentObject(value: object, depth: number): LogValue {
  if (value instanceof Secret) return value.toJSON()
  if (depth >= DEPTH_MAX) return '[deep]'
  try {
    if (value instanceof Error) return presentError(value, depth)
    if (ArrayBuffer.isView(value)) return presentBytes(value)
    if (Array.isArray(value)) return presentItems(value, value.length, depth)
    if (value instanceof Set) return presentItems(value, value.size, depth)
    if (value instanceof Map) return presentEntries(value, depth)
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return presentValue(value.toJSON(), depth + 1)
    return presentEntries(Object.entries(value), depth)
  } catch {
    // A getter or toJSON of a foreign object threw. The line matters more than this field.
    return '[unreadable]'
  }
}

export function presentError(error: Error, depth = 0): LogError {
  const { stack } = error
  return {
    type: error.name,
    message: cutText(error.message),
    stack: cutText(typeof stack === 'string' ? stack : `${error.name}: ${error.message}`),
    ...(error instanceof Fault && { kind: error.kind, data: presentValue(error.data, depth + 1) }),
    ...(error.cause !== undefined && { cause: presentValue(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: presentValue(error.errors, depth + 1) }),
  }
}

function presentItems(items: Iterable<unknown>, count: number, depth: number): LogValue {
  const shown: LogValue[] = []
  for (const item of items) {
    if (shown.length === ITEMS_MAX) {
      shown.push(`[${count - ITEMS_MAX} more]`)
      break
    }
    shown.push(presentValue(item, depth + 1))
  }
  return shown
}

function presentEntries(entries: Iterable<readonly [unknown, unknown]>, depth: number): LogValue {
  const shown: Record<string, LogValue> = {}
  let count = 0
  for (const [key, item] of entries) {
    if (item === undefined) continue
    if (count === ITEMS_MAX) {
      shown['[more]'] = true
      break
    }
    shown[cutText(String(key))] = presentValue(item, depth + 1)
    count += 1
  }
  return shown
}

function presentBytes(view: ArrayBufferView): string {
  const shown = Math.min(view.byteLength, BYTES_SHOWN_MAX)
  const hex = Buffer.from(view.buffer, view.byteOffset, shown).toString('hex')
  return view.byteLength > shown ? `0x${hex}…[${view.byteLength} bytes]` : `0x${hex}`
}

function cutText(text: string): string {
  if (text.length <= STRING_MAX_CHARS) return text
  return `${text.slice(0, STRING_MAX_CHARS)}…[${text.length} characters]`
}

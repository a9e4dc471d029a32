import { IdTexts } from './id-text.ts'
import { type BytesOwner, parseJsonText } from './json-text.ts'

/** One request of a message. `id` is JSON text. */
export type Envelope =
  | {
      readonly kind: 'request'
      readonly id: string
      readonly method: string
      readonly params: readonly unknown[]
    }
  /** A request without an id. As in Besu, it is not executed. */
  | { readonly kind: 'notification' }
  /** Answered with INVALID_REQUEST. */
  | { readonly kind: 'invalid'; readonly id: string }

export type Message =
  /** Answered with PARSE_ERROR. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'single'; readonly envelope: Envelope }
  | { readonly kind: 'batch'; readonly batch: Batch }

/** Elements are read one by one, so a batch over the limit costs no more than its parsing. */
export interface Batch {
  readonly size: number
  element(index: number): Envelope
}

const UNREADABLE: Message = { kind: 'unreadable' }
const NOTIFICATION: Envelope = { kind: 'notification' }
const NO_PARAMS: readonly unknown[] = []

export function readMessage(bytes: Uint8Array, owner?: BytesOwner): Message {
  const parsed = parseJsonText(bytes, owner)
  if (parsed === undefined) return UNREADABLE
  const { value, text } = parsed
  if (typeof value !== 'object') return UNREADABLE
  const idTexts = new IdTexts(text)
  if (!Array.isArray(value)) return { kind: 'single', envelope: readEnvelope(value, 0, idTexts) }
  const batch: Batch = {
    size: value.length,
    element: (index) => readEnvelope(value[index], index, idTexts),
  }
  return { kind: 'batch', batch }
}

function readEnvelope(value: unknown, element: number, idTexts: IdTexts): Envelope {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid('null')
  const { jsonrpc, id, method, params } = value as Readonly<Record<string, unknown>>
  const name = methodName(method)
  const list = params === undefined || params === null ? NO_PARAMS : params
  if (name === undefined || !Array.isArray(list) || !isScalar(jsonrpc) || !isScalar(id) || isBoolean(id)) {
    return invalid(integerId(id, element, idTexts))
  }
  if (id === undefined) return NOTIFICATION
  const idText = typeof id === 'number' ? idTexts.of(element, id) : JSON.stringify(id)
  return { kind: 'request', id: idText, method: name, params: list }
}

function invalid(id: string): Envelope {
  return { kind: 'invalid', id }
}

/** As in Besu, numbers and booleans are names; no method has such a name. */
function methodName(method: unknown): string | undefined {
  if (typeof method === 'string') return method
  return typeof method === 'number' || typeof method === 'boolean' ? String(method) : undefined
}

/** The answer to an invalid request has its id only if that is an integer. */
function integerId(id: unknown, element: number, idTexts: IdTexts): string {
  if (typeof id !== 'number') return 'null'
  const text = idTexts.of(element, id)
  return /^-?\d+$/.test(text) ? text : 'null'
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

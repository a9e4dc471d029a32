/**
 * Reads the call trees of nodes: the result of `debug_traceTransaction` with the callTracer, and of `trace_transaction`.
 * The answer of another program may have any shape.
 */
import type { MutableCall, TracedCall, TracedEvent } from '#abi/render-calls.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { FRAME_TYPES } from '#types/frame-types.ts'
import { parseData, parseQuantityLenient } from '#types/hex.ts'

type Members = Readonly<Record<string, unknown>>

/** The EVM allows 1,024 calls inside each other. */
const MAX_DEPTH = 1_025
const NOTHING = new Uint8Array(0)
const KINDS: ReadonlySet<string> = new Set(FRAME_TYPES)

/** Returns undefined if the result is of another tracer: some nodes ignore the requested one. */
export function readTracerResult(result: unknown): TracedCall | undefined {
  if (!isObject(result) || typeof result.type !== 'string' || typeof result.from !== 'string')
    return undefined
  return tracerCall(result, 0)
}

function tracerCall(frame: Members, depth: number): TracedCall {
  if (depth > MAX_DEPTH) throw unreadable(`it has more than ${MAX_DEPTH} calls inside each other`)
  const error = textOf(frame.error)
  return {
    kind: kindOf(frame.type),
    from: addressOf(frame.from),
    to: frame.to === undefined || frame.to === null ? undefined : addressOf(frame.to),
    value: quantityOf(frame.value) ?? 0n,
    gasUsed: quantityOf(frame.gasUsed),
    input: dataOf(frame.input),
    output: dataOf(frame.output),
    error,
    calls: objectsOf(frame.calls).map((call) => tracerCall(call, depth + 1)),
    events: objectsOf(frame.logs).map((log) => eventOf(log, quantityOf(log.position) ?? 0n)),
  }
}

/** Returns undefined without a first call. */
export function readFlatTraces(result: unknown): TracedCall | undefined {
  const calls = new Map<string, MutableCall>()
  for (const entry of objectsOf(result)) {
    const place = Array.isArray(entry.traceAddress) ? (entry.traceAddress as readonly unknown[]) : []
    if (!place.every(Number.isSafeInteger)) throw unreadable('a trace address is not a list of numbers')
    const call = flatCall(entry)
    if (place.length > MAX_DEPTH) throw unreadable(`it has more than ${MAX_DEPTH} calls inside each other`)
    if (place.length > 0) calls.get(place.slice(0, -1).join())?.calls.push(call)
    calls.set(place.join(), call)
  }
  return calls.get('')
}

function flatCall(entry: Members): MutableCall {
  const action = isObject(entry.action) ? entry.action : {}
  const result = isObject(entry.result) ? entry.result : {}
  const common = { error: textOf(entry.error), calls: [], events: [], gasUsed: quantityOf(result.gasUsed) }
  if (entry.type === 'suicide') {
    const [from, to] = [addressOf(action.address), addressOf(action.refundAddress)]
    const value = quantityOf(action.balance) ?? 0n
    return { ...common, kind: 'selfdestruct', from, to, value, input: NOTHING, output: NOTHING }
  }
  const [from, value] = [addressOf(action.from), quantityOf(action.value) ?? 0n]
  if (entry.type === 'create') {
    const to = result.address === undefined ? undefined : addressOf(result.address)
    const output = dataOf(result.code ?? entry.revertReason)
    return { ...common, kind: 'create', from, to, value, input: dataOf(action.init), output }
  }
  const output = dataOf(result.output ?? entry.revertReason)
  const [kind, to, input] = [kindOf(action.callType), addressOf(action.to), dataOf(action.input)]
  return { ...common, kind, from, to, value, input, output }
}

/** The events of a receipt; they name no call. */
export function readReceiptEvents(receipt: unknown): readonly TracedEvent[] {
  return isObject(receipt) ? objectsOf(receipt.logs).map((log) => eventOf(log, 0n)) : []
}

function eventOf(log: Members, position: bigint): TracedEvent {
  const topics = Array.isArray(log.topics) ? log.topics.map(dataOf) : []
  return { address: addressOf(log.address), topics, data: dataOf(log.data), position: Number(position) }
}

function kindOf(value: unknown): TracedCall['kind'] {
  const kind = typeof value === 'string' ? value.toLowerCase() : ''
  if (!KINDS.has(kind)) throw unreadable(`${JSON.stringify(value)} is not a kind of call`)
  return kind as TracedCall['kind']
}

function addressOf(value: unknown): Address {
  if (typeof value !== 'string') throw unreadable('an address is missing')
  return parseAddress(value)
}

export function quantityOf(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  return typeof value === 'string' ? parseQuantityLenient(value) : undefined
}

/** Absent data is empty. */
export function dataOf(value: unknown): Uint8Array {
  return typeof value === 'string' ? parseData(value) : NOTHING
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function objectsOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(why: string): Fault {
  return new Fault('TRACE_FAILED', { sentence: `The node's call tree is unreadable: ${why}.` })
}

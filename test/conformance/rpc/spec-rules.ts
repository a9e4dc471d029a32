/** Compares answers with the rpc-spec pairs by the numbered rules of the pack's README. */
import { differenceOf } from './compare.ts'

/** Rule 5: error texts inside results that another program words at greater length, by file, with Cairn's text. */
const LONGER_ERRORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '16-debug-call-tracer-0x10-halts.json': {
    'invalid opcode: opcode 0x1f not defined': 'invalid opcode',
    'stack underflow (1 <=> 2)': 'stack underflow',
  },
  '29-debug-call-tracer-0x1d-stack-underflow.json': { 'stack underflow (1 <=> 7)': 'stack underflow' },
  '33-debug-call-tracer-0x21-stack-underflow.json': { 'stack underflow (1 <=> 2)': 'stack underflow' },
}

/** Rule 6: trace_callMany numbers that were recorded from a client with wrong prices, in the files that have them. */
const WRONG_PRICES = /^trace_callMany_(04|0e|15|16)_(trace|vmTrace|stateDiff)\.json$/
const PRICED: Readonly<Record<string, (name: string, value: unknown) => boolean>> = {
  trace: (name) => name === 'gasUsed',
  vmTrace: (name) => name === 'cost' || name === 'used',
  stateDiff: (name, value) => name === 'balance' && value !== '=',
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const ANY_QUANTITY: ReadonlySet<string> = new Set([
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_protocolVersion',
])

interface Call {
  readonly method?: string
}
type Response = Readonly<Record<string, unknown>>

/** The first difference between the answer to a request and the expected one. */
export function specDifference(
  file: string,
  request: unknown,
  expected: unknown,
  actual: unknown,
): string | undefined {
  if (!Array.isArray(expected)) return differenceOfOne(file, request as Call, expected, actual)
  if (!Array.isArray(actual) || actual.length !== expected.length) return 'the batch has another length'
  for (const [index, response] of expected.entries()) {
    const call = (request as readonly Call[])[index] ?? {}
    const difference = differenceOfOne(file, call, response, actual[index])
    if (difference !== undefined) return `[${index}]: ${difference}`
  }
  return undefined
}

function differenceOfOne(
  file: string,
  { method }: Call,
  expected: unknown,
  actual: unknown,
): string | undefined {
  // Notes of the origin appear among the members and are not compared.
  const { comment: _, description: __, ...theirs } = expected as Response
  const ours = actual as Response
  if (method !== undefined && ANY_QUANTITY.has(method) && QUANTITY.test(String(ours.result))) {
    return differenceOf({ ...theirs, result: ours.result }, ours)
  }
  // The origin compares result texts, including the order of members; the envelope's order is free.
  const envelope = differenceOf({ ...theirs, result: null }, { ...ours, result: null })
  if (envelope !== undefined) return envelope
  const ignored = PRICED[file.match(WRONG_PRICES)?.[2] ?? '']
  return differenceOf(withOwnErrors(theirs.result, LONGER_ERRORS[file]), ours.result, {
    ordersMembers: true,
    isMap: (path) => path === 'addressMap',
    ignores: (path, value) => ignored?.(path.slice(path.lastIndexOf('.') + 1), value) ?? false,
  })
}

/** Replaces the longer error texts by Cairn's. */
function withOwnErrors(value: unknown, errors: Readonly<Record<string, string>> | undefined): unknown {
  if (errors === undefined) return value
  return JSON.parse(JSON.stringify(value), (name, member) =>
    name === 'error' && typeof member === 'string' ? (errors[member] ?? member) : member,
  )
}

/** How answers to the pairs of rpc-spec are compared: the rules of the pack's README, by their numbers there. */
import { differenceOf } from './compare.ts'

/** Rule 5: texts of errors inside results go by their class. */
const ERROR_CLASSES: readonly (readonly [string, (text: string) => boolean])[] = [
  ['invalid input length', (text) => text.includes('invalid input length')],
  ['out of gas', (text) => /out of gas|insufficient gas/.test(text)],
  ['stack underflow', (text) => text.includes('stack underflow')],
  ['stack overflow', (text) => /stack limit|stack overflow/.test(text)],
  ['invalid opcode', (text) => text.includes('invalid opcode')],
  ['write protection', (text) => /write protection|illegal state change/.test(text)],
  ['bad jump', (text) => /invalid jump destination|bad jump destination/.test(text)],
  ['precompile failed', (text) => text.includes('precompile') && text.includes('fail')],
]

/** Rule 6: numbers of trace_callMany that were recorded from a client with wrong prices, by the end of the file's name. */
const CALL_MANY_IGNORES: readonly (readonly [RegExp, (name: string, value: unknown) => boolean])[] = [
  [/_trace\.json$/, (name) => name === 'gasUsed'],
  [/_vmTrace\.json$/, (name) => name === 'cost' || name === 'used'],
  [/_stateDiff\.json$/, (name, value) => name === 'balance' && value !== '='],
]

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
  // Notes of the origin stand among the members and are not compared.
  const { comment: _, description: __, ...theirs } = expected as Response
  const ours = actual as Response
  if (method !== undefined && ANY_QUANTITY.has(method) && QUANTITY.test(String(ours.result))) {
    return differenceOf({ ...theirs, result: ours.result }, ours)
  }
  // The origin compares texts of results, and so the order of their members; the envelope's order is free.
  const envelope = differenceOf({ ...theirs, result: null }, { ...ours, result: null })
  if (envelope !== undefined) return envelope
  const ignored =
    method === 'trace_callMany' ? CALL_MANY_IGNORES.find(([pattern]) => pattern.test(file)) : undefined
  return differenceOf(withErrorClasses(theirs.result), withErrorClasses(ours.result), {
    ordersMembers: true,
    isMap: (path) => path === 'addressMap',
    ignores: (path, value) => ignored?.[1](path.slice(path.lastIndexOf('.') + 1), value) ?? false,
  })
}

function withErrorClasses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withErrorClasses)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'error' && typeof member === 'string' ? errorClass(member) : withErrorClasses(member),
    ]),
  )
}

function errorClass(text: string): string {
  const lower = text.toLowerCase()
  return ERROR_CLASSES.find(([, matches]) => matches(lower))?.[0] ?? text
}

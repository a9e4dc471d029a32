/** Decodes inputs, logs and reverts with ABIs that the user pasted. They stay in this browser. */
import { keccak_256 } from '@noble/hashes/sha3.js'

interface Parameter {
  readonly name?: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly Parameter[]
}

interface Entry {
  readonly type: 'function' | 'event' | 'error'
  readonly name: string
  readonly inputs: readonly Parameter[]
}

export interface Decoded {
  readonly name: string
  readonly values: readonly { readonly name: string; readonly type: string; readonly text: string }[]
}

const KEY = 'abi'
const WORD = 64
/** Offsets may point anywhere, so a few hundred bytes can describe billions of values. */
const MAX_VALUES = 10_000
/** Solidity has no deeper types. */
const MAX_DEPTH = 16
const MAX_FILES = 2_000
const MAX_FILE_BYTES = 8 * 1024 * 1024

const BUILT_IN: readonly Entry[] = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256' },
    ],
  },
]

const PANICS: Readonly<Record<string, string>> = {
  1: 'assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  33: 'invalid enum value',
  34: 'corrupt storage byte array',
  49: 'pop of an empty array',
  50: 'index out of bounds',
  65: 'too much memory',
  81: 'call of an uninitialised function',
}

let byId = indexOf(stored())

export function savedAbi(): string {
  return localStorage.getItem(KEY) ?? ''
}

/** Accepts an ABI, or a compiler artifact that has one. Throws if the text is neither. */
export function saveAbi(text: string): number {
  const entries = text.trim() === '' ? [] : parseAbi(text)
  localStorage.setItem(KEY, text.trim())
  byId = indexOf(entries)
  return entries.length
}

/**
 * Adds the ABIs of an artifacts folder to the saved one. Files that are not artifacts are skipped, as compilers also write
 * other JSON. Rejects if the browser has no room.
 */
export async function saveArtifacts(files: readonly File[]): Promise<number> {
  const found = new Map(stored().map((entry) => [idOf(entry), entry]))
  const read = files.filter(({ name, size }) => name.endsWith('.json') && size <= MAX_FILE_BYTES)
  for (const file of read.slice(0, MAX_FILES)) {
    const text = await file.text()
    for (const entry of attempt(() => parseAbi(text)) ?? []) found.set(idOf(entry), entry)
  }
  return saveAbi(JSON.stringify([...found.values()]))
}

function stored(): readonly Entry[] {
  try {
    return savedAbi() === '' ? [] : parseAbi(savedAbi())
  } catch {
    return []
  }
}

function parseAbi(text: string): readonly Entry[] {
  const parsed: unknown = JSON.parse(text)
  const list = Array.isArray(parsed) ? parsed : (parsed as { abi?: unknown }).abi
  if (!Array.isArray(list)) throw new Error('This is neither an ABI nor an artifact with an ABI.')
  return list.filter(isEntry)
}

function isEntry(value: unknown): value is Entry {
  const { type, name, inputs } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>
  return (
    ['function', 'event', 'error'].includes(String(type)) &&
    typeof name === 'string' &&
    areParameters(inputs, 0)
  )
}

function areParameters(value: unknown, depth: number): value is readonly Parameter[] {
  if (!Array.isArray(value) || depth > MAX_DEPTH) return false
  return value.every((each: unknown) => {
    const { name, type, components } = (each ?? {}) as Partial<Record<keyof Parameter, unknown>>
    return (
      typeof type === 'string' &&
      (name === undefined || typeof name === 'string') &&
      (components === undefined || areParameters(components, depth + 1))
    )
  })
}

function indexOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map([...BUILT_IN, ...entries].map((entry) => [idOf(entry), entry]))
}

function idOf({ type, name, inputs }: Entry): string {
  const digest = keccak_256(new TextEncoder().encode(`${name}(${inputs.map(canonical).join()})`))
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${type === 'event' ? 'event' : 'call'} 0x${type === 'event' ? hex : hex.slice(0, 8)}`
}

function canonical({ type, components }: Parameter): string {
  return type.startsWith('tuple') ? `(${(components ?? []).map(canonical).join()})${type.slice(5)}` : type
}

/** A function call or a revert. Undefined if no ABI knows it. */
export function decodeCall(data: string): Decoded | undefined {
  const entry = byId.get(`call ${data.slice(0, 10)}`)
  return entry && attempt(() => decoded(entry, decodeAll(entry.inputs, data.slice(10), budgetFor(data))))
}

export function decodeLog(topics: readonly string[], data: string): Decoded | undefined {
  const entry = byId.get(`event ${topics[0] ?? ''}`)
  if (entry === undefined) return undefined
  return attempt(() => {
    const budget = budgetFor(data)
    const plain = decodeAll(
      entry.inputs.filter(({ indexed }) => !indexed),
      data.slice(2),
      budget,
    )
    let [topic, at] = [1, 0]
    return decoded(
      entry,
      entry.inputs.map((input) =>
        input.indexed ? fromTopic(input, topics[topic++] ?? '0x', budget) : plain[at++]!,
      ),
    )
  })
}

/** One sentence about a revert. */
export function explainRevert(data: string): string {
  if (data === '0x' || data === '') return 'It reverted without a reason.'
  const call = decodeCall(data)
  if (call === undefined)
    return `It reverted with unknown data ${data.slice(0, 10)}; paste the ABI to decode it.`
  if (call.name === 'Error') return `It reverted: ${call.values[0]?.text}`
  if (call.name === 'Panic')
    return `It panicked: ${PANICS[call.values[0]?.text ?? ''] ?? `code ${call.values[0]?.text}`}`
  return `It reverted with ${call.name}(${call.values.map(({ name, text }) => `${name}: ${text}`).join(', ')})`
}

/** The values, and the digits of texts, that may still be decoded from the data. */
interface Budget {
  values: number
  digits: number
}

/** An encoder writes every text once, so all texts together fit into the data. */
const budgetFor = (data: string): Budget => ({ values: MAX_VALUES, digits: data.length })

function attempt<Value>(decode: () => Value): Value | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function decoded({ name, inputs }: Entry, texts: readonly string[]): Decoded {
  return {
    name,
    values: inputs.map((input, at) => ({
      name: input.name || `#${at}`,
      type: input.type,
      text: texts[at] ?? '',
    })),
  }
}

/** Long indexed values are only hashes. */
function fromTopic(input: Parameter, topic: string, budget: Budget): string {
  return isDynamic(input) || input.type.endsWith(']') ? topic : decodeOne(input, topic.slice(2), 0, budget)
}

function decodeAll(inputs: readonly Parameter[], hex: string, budget: Budget): string[] {
  let at = 0
  return inputs.map((input) => {
    const text = decodeOne(input, hex, isDynamic(input) ? numberAt(hex, at) * 2 : at, budget)
    at += isDynamic(input) ? WORD : wordsOf(input) * WORD
    return text
  })
}

const ARRAY = /^(.*)\[(\d*)\]$/

function isDynamic({ type, components }: Parameter): boolean {
  const [, item, size] = ARRAY.exec(type) ?? []
  if (item !== undefined) return size === '' || isDynamic({ type: item, ...(components && { components }) })
  if (type === 'tuple') return (components ?? []).some(isDynamic)
  return type === 'string' || type === 'bytes'
}

function wordsOf({ type, components }: Parameter): number {
  const [, item, size] = ARRAY.exec(type) ?? []
  if (item !== undefined) return Number(size) * wordsOf({ type: item, ...(components && { components }) })
  return type === 'tuple' ? (components ?? []).reduce((sum, each) => sum + wordsOf(each), 0) : 1
}

function numberAt(hex: string, at: number): number {
  const value = BigInt(`0x${wordAt(hex, at)}`)
  if (value > 1_000_000n) throw new Error('An offset is too large.')
  return Number(value)
}

function wordAt(hex: string, at: number): string {
  const word = hex.slice(at, at + WORD)
  if (word.length < WORD) throw new Error('The data is too short.')
  return word
}

function decodeOne(input: Parameter, hex: string, at: number, budget: Budget): string {
  const { type, components } = input
  if (budget.values-- === 0) throw new Error('The data has too many values.')
  const [, item, size] = ARRAY.exec(type) ?? []
  if (item !== undefined) {
    const length = size === '' ? numberAt(hex, at) : Number(size)
    if (length > budget.values) throw new Error('The list is too long.')
    const start = size === '' ? at + WORD : at
    const items = Array.from({ length }, () => ({ type: item, ...(components && { components }) }))
    return `[${decodeAll(items, hex.slice(start), budget).join(', ')}]`
  }
  if (type === 'tuple') return `(${decodeAll(components ?? [], hex.slice(at), budget).join(', ')})`
  if (type === 'string' || type === 'bytes') return decodeText(type, hex, at, budget)
  return decodeWord(type, wordAt(hex, at))
}

function decodeText(type: string, hex: string, at: number, budget: Budget): string {
  const length = numberAt(hex, at) * 2
  budget.digits -= length
  if (budget.digits < 0) throw new Error('The texts are longer than the data.')
  const body = hex.slice(at + WORD, at + WORD + length)
  if (body.length < length) throw new Error('The data is too short.')
  if (type === 'bytes') return `0x${body}`
  const raw = Uint8Array.from(body.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return new TextDecoder().decode(raw)
}

function decodeWord(type: string, word: string): string {
  if (type === 'address') return `0x${word.slice(24)}`
  if (type === 'bool') return BigInt(`0x${word}`) === 0n ? 'false' : 'true'
  if (type.startsWith('bytes')) return `0x${word.slice(0, Number(type.slice(5)) * 2)}`
  const value = BigInt(`0x${word}`)
  return String(type.startsWith('int') ? BigInt.asIntN(256, value) : value)
}

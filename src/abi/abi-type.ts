/**
 * The room `abi` explains calls to people: it decodes arguments, errors, events and `console.log` by the Solidity ABI,
 * reads names from compiler artifacts and renders call trees. Call data and artifacts are untrusted.
 */

/** A type of the Solidity ABI. */
export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'fixedBytes'; readonly size: number }
  | { readonly kind: 'list'; readonly item: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiField[] }

export interface AbiField {
  readonly name: string
  readonly type: AbiType
}

/** Solidity has no deeper types: the compiler stops at 15 levels of structs and arrays. */
const MAX_DEPTH = 16
const WORD_BITS = 256
const WORD_BYTES = 32
/** The value type `function` is an address and a selector. */
const FUNCTION_BYTES = 24
const SIMPLE: ReadonlySet<string> = new Set(['address', 'bool', 'bytes', 'string'])

/** Returns undefined for a type that the ABI does not have. `components` are the fields of a tuple. */
export function parseAbiType(text: string, components?: unknown, depth = 0): AbiType | undefined {
  if (depth > MAX_DEPTH) return undefined
  const list = /^(.*)\[(\d{0,9})\]$/.exec(text)
  if (list !== null) {
    const item = parseAbiType(list[1]!, components, depth + 1)
    return item && { kind: 'list', item, length: list[2] === '' ? undefined : Number(list[2]) }
  }
  if (text === 'tuple') {
    const fields = parseAbiFields(components, depth + 1)
    return fields && { kind: 'tuple', fields }
  }
  if (SIMPLE.has(text)) return { kind: text as 'address' | 'bool' | 'bytes' | 'string' }
  if (text === 'function') return { kind: 'fixedBytes', size: FUNCTION_BYTES }
  return parseSizedType(text)
}

function parseSizedType(text: string): AbiType | undefined {
  const match = /^(u?int|bytes)(\d{0,3})$/.exec(text)
  if (match === null) return undefined
  const kind = match[1] as 'uint' | 'int' | 'bytes'
  const number = match[2] === '' ? WORD_BITS : Number(match[2])
  if (kind === 'bytes') {
    return number >= 1 && number <= WORD_BYTES ? { kind: 'fixedBytes', size: number } : undefined
  }
  return number >= 8 && number <= WORD_BITS && number % 8 === 0 ? { kind, bits: number } : undefined
}

/** Reads the `inputs`, `outputs` or `components` of a JSON ABI. */
export function parseAbiFields(value: unknown, depth = 0): readonly AbiField[] | undefined {
  if (!Array.isArray(value)) return undefined
  const fields: AbiField[] = []
  for (const each of value as readonly unknown[]) {
    if (typeof each !== 'object' || each === null) return undefined
    const { name, type, components } = each as Record<string, unknown>
    const parsed = typeof type === 'string' ? parseAbiType(type, components, depth) : undefined
    if (parsed === undefined) return undefined
    fields.push({ name: typeof name === 'string' ? name : '', type: parsed })
  }
  return fields
}

/** The text that selectors hash: `transfer(address,uint256)`. */
export function signatureOf(name: string, fields: readonly AbiField[]): string {
  return `${name}(${fields.map(({ type }) => canonicalType(type)).join(',')})`
}

function canonicalType(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixedBytes':
      return `bytes${type.size}`
    case 'list':
      return `${canonicalType(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return signatureOf('', type.fields)
    default:
      return type.kind
  }
}

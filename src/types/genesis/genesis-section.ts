import { type Address, parseAddress } from '#types/address.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { MAX_INT, MAX_LONG, padHexText, parseDecimalText, parseWeiText } from './genesis-number.ts'
import { type GenesisProblems, joinPath } from './genesis-problems.ts'

const SHOWN_CHARACTERS = 40

/**
 * One object of a genesis file. Keys are case-insensitive, the last of several spellings counts, null is absent. A
 * malformed value is noted as a problem and read as absent, so the rest of the file is judged too.
 */
export class GenesisSection {
  readonly path: string
  readonly problems: GenesisProblems
  readonly #spelling = new Map<string, string>()
  readonly #object: JsonObject

  constructor(path: string, object: JsonObject, problems: GenesisProblems) {
    this.path = path
    this.problems = problems
    this.#object = object
    for (const key of object.keys()) this.#spelling.set(key.toLowerCase(), key)
  }

  has(key: string): boolean {
    return this.#spelling.has(key.toLowerCase())
  }

  value(key: string): JsonValue | undefined {
    const spelled = this.#spelling.get(key.toLowerCase())
    return spelled === undefined ? undefined : (this.#object.get(spelled) ?? undefined)
  }

  /** The path of a key as the file spells it, or as given if the file lacks it. */
  pathOf(key: string): string {
    return joinPath(this.path, this.#spelling.get(key.toLowerCase()) ?? key)
  }

  refuse(key: string, sentence: string): undefined {
    this.problems.add(this.pathOf(key), sentence)
  }

  /** A JSON number without fraction; a number in quotes is refused, as in Besu. */
  wholeNumber(key: string, min: bigint, max: bigint): bigint | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const number = value instanceof JsonNumber ? value.toBigInt() : undefined
    if (number !== undefined && number >= min && number <= max) return number
    const range = `a whole number from ${min} to ${max}, written without quotes`
    return this.refuse(key, `${key} must be ${range}, and not ${describeJson(value)}.`)
  }

  long(key: string, min = 0n): bigint | undefined {
    return this.wholeNumber(key, min, MAX_LONG)
  }

  int(key: string, min = 0n): number | undefined {
    const value = this.wholeNumber(key, min, MAX_INT)
    return value === undefined ? undefined : Number(value)
  }

  /** A number from 1 up, with or without quotes. */
  positiveInt(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const number = parseDecimalText(scalarText(value) ?? '', MAX_INT)
    if (number !== undefined && number > 0n) return Number(number)
    return this.refuse(
      key,
      `${key} must be a whole number from 1 to ${MAX_INT}, and not ${describeJson(value)}.`,
    )
  }

  /** A decimal number of up to 256 bits, with or without quotes. */
  decimal(key: string): bigint | undefined {
    return this.text(key, 'a decimal number of at most 256 bits, from zero up', (text) =>
      parseDecimalText(text),
    )
  }

  /** An amount of wei in quotes. */
  wei(key: string): bigint | undefined {
    return this.string(key, 'an amount of wei in quotes, decimal or 0x and hex', parseWeiText)
  }

  boolean(key: string): boolean | undefined {
    const value = this.value(key)
    if (value === undefined || typeof value === 'boolean') return value
    return this.refuse(key, `${key} must be true or false without quotes, and not ${describeJson(value)}.`)
  }

  /** Short addresses are padded with zeros on the left, as in Besu. */
  address(key: string): Address | undefined {
    return this.string(key, 'an address of 20 bytes in hex', addressFromShortHex)
  }

  hash(key: string): Hash | undefined {
    return this.string(key, 'a hash of at most 32 bytes in hex', (text) => {
      const padded = padHexText(text, 32)
      return padded === undefined ? undefined : parseHash(padded)
    })
  }

  /** A JSON string that `parse` accepts; `form` describes it. */
  string<T>(key: string, form: string, parse: (text: string) => T | undefined): T | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const parsed = typeof value === 'string' ? parse(value) : undefined
    return parsed ?? this.refuse(key, `${key} must be ${form}, and not ${describeJson(value)}.`)
  }

  /** A JSON string or number whose text `parse` accepts. */
  text<T>(key: string, form: string, parse: (text: string) => T | undefined): T | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    const text = scalarText(value)
    const parsed = text === undefined ? undefined : parse(text)
    return parsed ?? this.refuse(key, `${key} must be ${form}, and not ${describeJson(value)}.`)
  }

  section(key: string): GenesisSection | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (value instanceof JsonObject) return new GenesisSection(this.pathOf(key), value, this.problems)
    return this.refuse(key, `${key} must be an object in braces, and not ${describeJson(value)}.`)
  }

  list(key: string): readonly JsonValue[] | undefined {
    const value = this.value(key)
    if (value === undefined || Array.isArray(value)) return value
    return this.refuse(key, `${key} must be a list in brackets, and not ${describeJson(value)}.`)
  }

  /** A list of strings that `parse` accepts; the others are refused one by one. */
  strings<T>(key: string, form: string, parse: (text: string) => T | undefined): T[] | undefined {
    return this.list(key)?.flatMap((value, index) => {
      const parsed = typeof value === 'string' ? parse(value) : undefined
      if (parsed !== undefined) return [parsed]
      const path = joinPath(this.pathOf(key), index)
      this.problems.add(path, `Every item of ${key} must be ${form}, and not ${describeJson(value)}.`)
      return []
    })
  }
}

export function addressFromShortHex(text: string): Address | undefined {
  const padded = text === '' ? undefined : padHexText(text, 20)
  return padded === undefined ? undefined : parseAddress(padded)
}

/** The text of a string or number as written in the file. */
export function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value
  return value instanceof JsonNumber ? value.text : undefined
}

export function describeJson(value: JsonValue): string {
  if (value === '') return 'the empty string'
  if (typeof value === 'string') return `the string "${shorten(value)}"`
  if (value instanceof JsonNumber) return `the number ${shorten(value.text)}`
  if (Array.isArray(value)) return 'a list'
  if (value instanceof JsonObject) return 'an object'
  return String(value)
}

function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text
}

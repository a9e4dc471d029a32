import { Fault } from '#types/fault.ts'
import { JsonNumber, JsonObject, type JsonValue } from './json-value.ts'

export interface JsonLimits {
  /** UTF-16 code units of the complete text. */
  readonly maxLength: number
  /** Nested objects and arrays. */
  readonly maxDepth: number
  /** Values of every kind, on all levels. */
  readonly maxItems: number
  /** Digits, sign, point and exponent of one number: BigInt(text) is quadratic in it. */
  readonly maxNumberLength: number
}

/** Room for a genesis file of about 500,000 accounts; the mainnet file has 0.9 MB and 18,000 items. */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  maxLength: 64 * 1024 * 1024,
  maxDepth: 64,
  maxItems: 4_000_000,
  maxNumberLength: 1_000,
}

/**
 * Parses one JSON text (RFC 8259; a leading byte order mark is skipped). Throws Fault 'INVALID_JSON' with `line` and
 * `column`, counted from 1. Unlike JSON.parse it keeps number text, key order and positions.
 */
export function parseJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): JsonValue {
  if (text.length > limits.maxLength) {
    throw invalidJson(text, 0, `the text is longer than ${limits.maxLength} characters`)
  }
  const parser = new Parser(text, limits)
  return parser.document()
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const BYTE_ORDER_MARK = 0xfeff

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

class Parser {
  readonly #text: string
  readonly #limits: JsonLimits
  #at = 0
  #depth = 0
  #items = 0

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === BYTE_ORDER_MARK) this.#at = 1
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) this.#refuse(`${this.#found()} follows the end of the JSON value`)
    return value
  }

  #value(): JsonValue {
    this.#skipSpace()
    this.#items += 1
    if (this.#items > this.#limits.maxItems)
      this.#refuse(`there are more than ${this.#limits.maxItems} values`)
    const code = this.#text.charCodeAt(this.#at)
    if (code === QUOTE) return this.#string()
    if (code === OPEN_BRACE) return this.#object()
    if (code === OPEN_BRACKET) return this.#array()
    if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) return this.#number()
    if (this.#take('true')) return true
    if (this.#take('false')) return false
    if (this.#take('null')) return null
    return this.#refuse(`a value was expected but ${this.#found()} stands here`)
  }

  #object(): JsonObject {
    this.#enter()
    const object = new JsonObject()
    if (this.#takeAfterSpace(CLOSE_BRACE)) return this.#leave(object)
    for (;;) {
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) !== QUOTE) {
        this.#refuse(`a key in double quotes was expected but ${this.#found()} stands here`)
      }
      const key = this.#string()
      if (!this.#takeAfterSpace(COLON)) this.#refuse(`a colon was expected but ${this.#found()} stands here`)
      const sizeBefore = object.size
      object.set(key, this.#value())
      if (object.size === sizeBefore) {
        object.repeatedKeys ??= new Set()
        object.repeatedKeys.add(key)
      }
      if (this.#takeAfterSpace(CLOSE_BRACE)) return this.#leave(object)
      if (!this.#takeAfterSpace(COMMA)) {
        this.#refuse(`a comma or a closing brace was expected but ${this.#found()} stands here`)
      }
    }
  }

  #array(): JsonValue[] {
    this.#enter()
    const array: JsonValue[] = []
    if (this.#takeAfterSpace(CLOSE_BRACKET)) return this.#leave(array)
    for (;;) {
      array.push(this.#value())
      if (this.#takeAfterSpace(CLOSE_BRACKET)) return this.#leave(array)
      if (!this.#takeAfterSpace(COMMA)) {
        this.#refuse(`a comma or a closing bracket was expected but ${this.#found()} stands here`)
      }
    }
  }

  #enter(): void {
    this.#at += 1
    this.#depth += 1
    if (this.#depth > this.#limits.maxDepth) {
      this.#refuse(`objects and lists are nested more than ${this.#limits.maxDepth} levels deep`)
    }
  }

  #leave<Container>(container: Container): Container {
    this.#depth -= 1
    return container
  }

  #number(): JsonNumber {
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.#text)?.[0]
    if (match === undefined) return this.#refuse('a digit was expected after the minus sign')
    if (match.length > this.#limits.maxNumberLength) {
      this.#refuse(`a number has more than ${this.#limits.maxNumberLength} characters`)
    }
    const next = this.#text.charCodeAt(this.#at + match.length)
    if (next >= DIGIT_0 && next <= DIGIT_9) this.#refuse('a number may not begin with 0')
    this.#at += match.length
    return new JsonNumber(match)
  }

  /** Plain runs are sliced at once; an escape, rare in a genesis file, ends a run. */
  #string(): string {
    const text = this.#text
    const start = this.#at
    let at = start + 1
    let runStart = at
    let result = ''
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        result += text.slice(runStart, at)
        this.#at = at
        result += this.#escape()
        at = this.#at
        runStart = at
      } else if (code >= SPACE) {
        at += 1
      } else {
        this.#at = at >= text.length ? start : at
        this.#refuse(
          at >= text.length
            ? 'a string begins here and is never closed'
            : 'a control character or line break stands inside a string; write it as an escape such as \\n',
        )
      }
    }
    this.#at = at + 1
    return result + text.slice(runStart, at)
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1)
    if (letter === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6)
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#refuse('four hexadecimal digits were expected after \\u')
      this.#at += 6
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const plain = ESCAPES[letter]
    if (plain === undefined) return this.#refuse('a backslash begins an escape that JSON does not know')
    this.#at += 2
    return plain
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #takeAfterSpace(code: number): boolean {
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at += 1
    return true
  }

  #skipSpace(): void {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return
      this.#at += 1
    }
  }

  #found(): string {
    const point = this.#text.codePointAt(this.#at)
    return point === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(point))
  }

  #refuse(what: string): never {
    throw invalidJson(this.#text, this.#at, what)
  }
}

function invalidJson(text: string, at: number, what: string): Fault<'INVALID_JSON'> {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  const sentence = `The JSON is not valid at line ${line}, column ${column}: ${what}.`
  return new Fault('INVALID_JSON', { sentence, line, column })
}

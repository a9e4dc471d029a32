/**
 * Scans a message while it arrives and stops what would be too costly to parse: JSON.parse makes an object for every
 * value, and 100 MB of brackets are 100 million objects. It understands only brackets, commas, strings and comments;
 * JSON.parse decides whether the text is JSON. Refused messages are answered with PARSE_ERROR.
 */

export const MAX_DEPTH = 64
export const MAX_VALUES = 1_000_000

export type ScanVerdict = 'TOO_DEEP' | 'TOO_MANY_VALUES'

export interface ScanLimits {
  readonly maxDepth: number
  /** Values of all levels. An empty list or object counts twice, a comment once. */
  readonly maxValues: number
}

/** Longer strings are searched rather than walked, since a search has a fixed cost. */
const WALKED_BYTES = 24

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const STAR = 0x2a
const SLASH = 0x2f
const BACKSLASH = 0x5c

/** The meaning of a byte outside strings and comments. */
const PLAIN = 0
const COMMA = 1
const OPEN = 2
const CLOSE = 3
const STRING_START = 4
const COMMENT_START = 5
const MEANINGS = new Uint8Array(256).fill(PLAIN)
MEANINGS[','.charCodeAt(0)] = COMMA
for (const bracket of '[{') MEANINGS[bracket.charCodeAt(0)] = OPEN
for (const bracket of ']}') MEANINGS[bracket.charCodeAt(0)] = CLOSE
MEANINGS[QUOTE] = STRING_START
MEANINGS[SLASH] = COMMENT_START

type State = 'outside' | 'string' | 'escape' | 'slash' | 'line comment' | 'block comment' | 'star'

export class JsonScan {
  readonly #limits: ScanLimits
  #state: State = 'outside'
  #depth = 0
  /** The message itself is a value. Each comma adds one, and each bracket adds one for its first element. */
  #values = 1
  #verdict: ScanVerdict | undefined

  constructor(limits: ScanLimits = { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES }) {
    this.#limits = limits
  }

  get values(): number {
    return this.#values
  }

  /** Takes the next bytes, split anywhere. A verdict is final; undefined means to continue. */
  feed(chunk: Uint8Array): ScanVerdict | undefined {
    let at = 0
    while (at < chunk.length && this.#verdict === undefined) {
      switch (this.#state) {
        case 'outside':
          at = this.#outside(chunk, at)
          break
        case 'string':
          at = this.#string(chunk, at)
          break
        case 'escape':
          at += 1
          this.#state = 'string'
          break
        default:
          at = this.#comment(chunk, at)
      }
    }
    return this.#verdict
  }

  #outside(chunk: Uint8Array, start: number): number {
    const { maxDepth, maxValues } = this.#limits
    let depth = this.#depth
    let values = this.#values
    let at = start
    while (at < chunk.length) {
      const meaning = MEANINGS[chunk[at++]!]!
      if (meaning === PLAIN) continue
      if (meaning === STRING_START) {
        this.#state = 'string'
        break
      }
      if (meaning === CLOSE) depth -= 1
      else values += 1
      if (meaning === OPEN) depth += 1
      if (depth > maxDepth || values > maxValues) {
        this.#verdict = depth > maxDepth ? 'TOO_DEEP' : 'TOO_MANY_VALUES'
        break
      }
      if (meaning === COMMENT_START) {
        this.#state = 'slash'
        break
      }
    }
    this.#depth = depth
    this.#values = values
    return at
  }

  #string(chunk: Uint8Array, start: number): number {
    const walkEnd = Math.min(chunk.length, start + WALKED_BYTES)
    for (let at = start; at < walkEnd; at++) {
      const byte = chunk[at]
      if (byte === QUOTE || byte === BACKSLASH) {
        this.#state = byte === QUOTE ? 'outside' : 'escape'
        return at + 1
      }
    }
    return this.#longString(chunk, walkEnd)
  }

  /** From an unescaped byte to the closing quote or the end of the chunk. */
  #longString(chunk: Uint8Array, start: number): number {
    let from = start
    for (;;) {
      const found = chunk.indexOf(QUOTE, from)
      const end = found < 0 ? chunk.length : found
      let backslashes = 0
      while (end - backslashes > start && chunk[end - backslashes - 1] === BACKSLASH) backslashes += 1
      const isEscaped = backslashes % 2 === 1
      if (found < 0) {
        this.#state = isEscaped ? 'escape' : 'string'
        return end
      }
      if (!isEscaped) {
        this.#state = 'outside'
        return end + 1
      }
      from = end + 1
    }
  }

  #comment(chunk: Uint8Array, start: number): number {
    let at = start
    while (at < chunk.length && this.#state !== 'outside') {
      const byte = chunk[at++]!
      switch (this.#state) {
        case 'slash':
          this.#state = byte === STAR ? 'block comment' : byte === SLASH ? 'line comment' : 'outside'
          break
        case 'line comment':
          if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#state = 'outside'
          break
        case 'star':
          this.#state = byte === SLASH ? 'outside' : byte === STAR ? 'star' : 'block comment'
          break
        default:
          if (byte === STAR) this.#state = 'star'
      }
    }
    return at
  }
}

import { endOfString } from './json-text.ts'

/** Numeric ids as the client wrote them: JSON.parse rounds beyond 2^53 and does not distinguish 1 from 1.0. */
export class IdTexts {
  readonly #text: string
  #isPlain: boolean | undefined
  #sources: readonly (string | undefined)[] | undefined

  /** The complete message without comments. */
  constructor(text: string) {
    this.#text = text
  }

  /** `element` is the index in the batch, 0 for a single request; `id` is the parsed value. */
  of(element: number, id: number): string {
    if (Number.isSafeInteger(id) && this.#hasPlainNumbersOnly()) return String(id)
    this.#sources ??= findIdSources(this.#text)
    return formatId(this.#sources[element] ?? String(id))
  }

  /** True if no member can be a number with a point or an exponent. */
  #hasPlainNumbersOnly(): boolean {
    this.#isPlain ??= !/[:\s]-?\d+[.eE]/.test(this.#text)
    return this.#isPlain
  }
}

/** As in Besu: integers exactly, all others as a Java double. */
function formatId(source: string): string {
  if (/^-?\d+$/.test(source)) return source === '-0' ? '0' : source
  const value = Number(source)
  return Number.isFinite(value) ? formatJavaDouble(value) : source
}

/** Java's Double.toString: at least one fraction digit; an exponent from 10^7 and below 10^-3. */
export function formatJavaDouble(value: number): string {
  const size = Math.abs(value)
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  if (size >= 1e-3 && size < 1e7) return withFraction(String(value))
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  return `${withFraction(digits)}E${exponent.replace('+', '')}`
}

function withFraction(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`
}

const NUMBER = /-?\d[\d.eE+-]*/y
const COLON = /\s*:\s*/y
const STRUCTURE = /["[\]{},]/g

/** The id text of each request of valid JSON; undefined if the id is not a number. */
function findIdSources(text: string): (string | undefined)[] {
  const sources: (string | undefined)[] = []
  const memberDepth = text.trimStart().startsWith('[') ? 2 : 1
  let element = 0
  let depth = 0
  STRUCTURE.lastIndex = 0
  for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
    switch (match[0]) {
      case '"': {
        const end = endOfString(text, match.index)
        const valueAt = isId(text, match.index, end) ? matchEnd(COLON, text, end) : undefined
        if (depth === memberDepth && valueAt !== undefined) {
          const numberEnd = matchEnd(NUMBER, text, valueAt)
          sources[element] = numberEnd === undefined ? undefined : text.slice(valueAt, numberEnd)
        }
        STRUCTURE.lastIndex = end
        break
      }
      case ',':
        if (depth === 1 && memberDepth === 2) element += 1
        break
      case '[':
      case '{':
        depth += 1
        break
      default:
        depth -= 1
    }
  }
  return sources
}

/** A name may contain escapes. */
function isId(text: string, start: number, end: number): boolean {
  const name = text.slice(start, end)
  return name === '"id"' || (name.length <= 14 && name.includes('\\') && JSON.parse(name) === 'id')
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/**
 * Scans TOML that a parser has accepted, to find positions. Uses loops instead of regular expressions, whose backtracking state
 * grows with the text, and a file may be one long string.
 */
export class TomlScan {
  at = 0
  readonly #text: string
  #backslash = -1

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length
  }

  get next(): string {
    return this.#text[this.at] ?? ''
  }

  step(): void {
    this.at++
  }

  /** Skips blanks, line ends and comments, and returns them. */
  trivia(): string {
    const start = this.at
    for (;;) {
      if (this.next === '#') this.#toLineEnd()
      else if (' \t\r\n'.includes(this.next) && !this.isAtEnd) this.at++
      else return this.#text.slice(start, this.at)
    }
  }

  /** Returns the comment with the blanks before it, or '' if the line has no comment. */
  lineComment(): string {
    const start = this.at
    this.#blanks()
    if (this.next === '#') {
      this.#toLineEnd()
      if (this.#text[this.at - 1] === '\r') this.at--
    } else this.at = start
    return this.#text.slice(start, this.at)
  }

  /** Reads a key and its equals sign. The parts of a dotted key are joined by NUL, which no plain key contains. */
  key(): string | undefined {
    const parts: string[] = []
    for (;;) {
      this.#blanks()
      const start = this.at
      const quoted = this.string()
      while (quoted === '' && /[\w-]/.test(this.next)) this.at++
      const part = quoted === '' ? this.#text.slice(start, this.at) : quoted.slice(1, -1)
      if (part === '') return undefined
      parts.push(part)
      this.#blanks()
      const sign = this.next
      this.step()
      this.#blanks()
      if (sign === '=') return parts.join('\0')
      if (sign !== '.') return undefined
    }
  }

  /** Returns a string with its quotation marks, or '' if there is none. */
  string(): string {
    const start = this.at
    const quote = this.next
    if (quote !== '"' && quote !== "'") return ''
    const isLong = this.#text.startsWith(quote.repeat(3), this.at)
    const mark = isLong ? quote.repeat(3) : quote
    this.at += mark.length
    for (;;) {
      const end = this.#text.indexOf(mark, this.at)
      const escaped = quote === '"' ? this.#nextBackslash() : Infinity
      if (end !== -1 && end < escaped) {
        this.at = end + mark.length
        break
      }
      this.at = Math.min(escaped + 2, this.#text.length)
      if (end === -1 && escaped === Infinity) break
    }
    // A long string may end in one or two quotation marks of its own.
    for (let more = 0; isLong && more < 2 && this.next === quote; more++) this.at++
    return this.#text.slice(start, this.at)
  }

  /** The position is cached, since most files contain no backslash. */
  #nextBackslash(): number {
    if (this.#backslash < this.at) {
      const found = this.#text.indexOf('\\', this.at)
      this.#backslash = found === -1 ? Infinity : found
    }
    return this.#backslash
  }

  /** Skips a top-level value; returns false if there is none. */
  value(): boolean {
    const start = this.at
    if (this.next === '[' || this.next === '{') return this.#structure()
    if (this.string() !== '') return true
    while (!this.isAtEnd && this.next !== '\n' && this.next !== '#') this.at++
    return this.at > start
  }

  /** Skips nested arrays and tables of any depth. */
  #structure(): boolean {
    let depth = 0
    do {
      this.trivia()
      const sign = this.next
      if (sign === '') return false
      if (this.string() !== '') continue
      if (sign === '[' || sign === '{') depth++
      if (sign === ']' || sign === '}') depth--
      this.at++
    } while (depth > 0)
    return true
  }

  #blanks(): void {
    while (this.next === ' ' || this.next === '\t') this.at++
  }

  #toLineEnd(): void {
    const end = this.#text.indexOf('\n', this.at)
    this.at = end === -1 ? this.#text.length : end
  }
}

import type { Streams } from '#cli/io.ts'
import { printableLine } from '#types/printable.ts'

const ESCAPE = '\u001b['

/**
 * Lines at the bottom of a terminal, redrawn in place below the sentences. Without a terminal only sentences are printed.
 */
export class LiveLines {
  readonly #io: Streams
  #shown: readonly string[] = []
  #isFrozen = false

  constructor(io: Streams) {
    this.#io = io
  }

  say(sentence: string): void {
    const below = this.#shown
    this.show([])
    this.#io.err(`${sentence}\n`)
    this.show(below)
  }

  show(lines: readonly string[]): void {
    const { columns } = this.#io
    if (columns === undefined || this.#isFrozen) return
    // The terminal echoes keys, so the cursor may be in any column.
    const erase = this.#shown.length === 0 ? '' : `\r${ESCAPE}${this.#shown.length}A${ESCAPE}J`
    // A wrapped line would make the line count wrong.
    this.#shown = lines.map((line) => printableLine(line).slice(0, columns))
    this.#io.draw(erase + this.#shown.map((line) => `${line}\n`).join(''))
  }

  /** Leaves the lines in place; sentences follow below, after the `^C` that the terminal echoed. */
  freeze(): void {
    if (this.#isFrozen) return
    if (this.#shown.length > 0) this.#io.draw('\n')
    this.#shown = []
    this.#isFrozen = true
  }
}

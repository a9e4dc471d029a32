import { printableLine } from '#types/printable.ts'
import type { Io } from './io.ts'

const ESCAPE = '\u001b['

/** Lines at the end of a terminal that are drawn anew in place, with sentences above them. Elsewhere there are sentences only. */
export class LiveLines {
  readonly #io: Io
  #shown: readonly string[] = []

  constructor(io: Io) {
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
    if (columns === undefined) return
    const erase = this.#shown.length === 0 ? '' : `${ESCAPE}${this.#shown.length}A${ESCAPE}J`
    // A line that wraps would make the count of lines wrong.
    this.#shown = lines.map((line) => printableLine(line).slice(0, columns))
    this.#io.draw(erase + this.#shown.map((line) => `${line}\n`).join(''))
  }
}

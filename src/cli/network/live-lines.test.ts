import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Streams } from '#cli/io.ts'
import { LiveLines } from './live-lines.ts'

/** A terminal that understands the sequences of LiveLines. */
class Terminal implements Streams {
  readonly columns: number | undefined
  readonly rows: string[] = ['']
  #row = 0
  #column = 0

  constructor(columns: number | undefined) {
    this.columns = columns
  }

  err = (text: string) => this.draw(text)
  out = (text: string) => this.draw(text)
  readInput = () => ''
  readSecretLine = () => undefined

  draw(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are driven by them.
    for (const [piece, count] of text.matchAll(/\u001b\[(\d*)[AJ]|[\s\S]/g)) {
      if (piece === '\r') this.#column = 0
      else if (piece === '\n') this.#moveTo(this.#row + 1)
      else if (piece.endsWith('A') && count) this.#row = Math.max(0, this.#row - Number(count))
      else if (piece.length > 1) this.#eraseBelow()
      else this.#put(piece)
    }
  }

  #put(character: string): void {
    if (this.columns !== undefined && this.#column === this.columns) this.#moveTo(this.#row + 1)
    const row = this.rows[this.#row]!.padEnd(this.#column)
    this.rows[this.#row] = row.slice(0, this.#column) + character + row.slice(this.#column + 1)
    this.#column += 1
  }

  #moveTo(row: number): void {
    this.#row = row
    this.#column = 0
    while (this.rows.length <= row) this.rows.push('')
  }

  #eraseBelow(): void {
    this.rows.length = this.#row + 1
    this.rows[this.#row] = this.rows[this.#row]!.slice(0, this.#column)
  }
}

test('lines are redrawn in place below the sentences, also on a narrow terminal', () => {
  const terminal = new Terminal(10)
  const lines = new LiveLines(terminal)
  lines.show(['NODE  BLOCK  ROUND', 'one  1'])
  lines.say('one starts')
  lines.show(['NODE  BLOCK  ROUND', 'one  2'])
  assert.deepEqual(terminal.rows, ['one starts', 'NODE  BLOC', 'one  2', ''])
})

test('keys echoed by the terminal do not stay in the lines', () => {
  const terminal = new Terminal(80)
  const lines = new LiveLines(terminal)
  lines.show(['NODE', 'one'])
  terminal.draw('typed')
  lines.show(['NODE', 'two'])
  assert.deepEqual(terminal.rows, ['NODE', 'two', ''])
})

test('after Ctrl-C the lines stay, and sentences follow below', () => {
  const terminal = new Terminal(80)
  const lines = new LiveLines(terminal)
  lines.show(['NODE', 'one'])
  terminal.draw('^C')
  lines.freeze()
  lines.say('Stopping the network.')
  lines.show(['NODE', 'late'])
  lines.freeze()
  lines.say('The network has stopped.')
  assert.deepEqual(terminal.rows, [
    'NODE',
    'one',
    '^C',
    'Stopping the network.',
    'The network has stopped.',
    '',
  ])
})

test('without a terminal only sentences are printed', () => {
  const terminal = new Terminal(undefined)
  const lines = new LiveLines(terminal)
  lines.show(['NODE', 'one'])
  lines.freeze()
  lines.say('The network has stopped.')
  assert.deepEqual(terminal.rows, ['The network has stopped.', ''])
})

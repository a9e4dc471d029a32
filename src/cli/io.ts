import { readSync } from 'node:fs'
import type { SpanStyle, StyledLine } from '#abi/render-calls.ts'
import { usageFault } from '#config/faults.ts'
import { escapeControls } from '#types/printable.ts'

/** The program's streams. Results go to `out`, messages about them to `err`. */
export interface Streams {
  out(text: string): void
  err(text: string): void
  /** Moves the cursor of the terminal behind `err`. `out` and `err` escape such sequences. */
  draw(text: string): void
  readInput(maxBytes: number): string
  /** A line typed at the terminal without echo; undefined if standard input is not a terminal. */
  readSecretLine(prompt: string): Promise<string> | undefined
  /** The width of the terminal; undefined if results go elsewhere. */
  readonly columns: number | undefined
}

/** The streams of a command. */
export interface Io extends Streams {
  /** Results in colour, if they go to a terminal and NO_COLOR is not set. */
  outStyled(lines: readonly StyledLine[]): void
}

/** Escapes names in files and answers of other nodes, so none of them can control the terminal. */
export function escapingIo(io: Streams): Io {
  return {
    out: (text) => io.out(escapeControls(text)),
    err: (text) => io.err(escapeControls(text)),
    outStyled: (lines) => {
      const isColoured = io.columns !== undefined && !process.env.NO_COLOR
      io.out(lines.map((line) => formatStyledLine(line, isColoured)).join(''))
    },
    draw: (text) => io.draw(text),
    readInput: (maxBytes) => io.readInput(maxBytes),
    readSecretLine: (prompt) => io.readSecretLine(prompt),
    get columns() {
      return io.columns
    },
  }
}

const STDIN = 0
const CHUNK_BYTES = 64 * 1024

export const processIo: Streams = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  draw: (text) => void process.stderr.write(text),
  readInput,
  readSecretLine: (prompt) => (process.stdin.isTTY ? readWithoutEcho(prompt) : undefined),
  get columns() {
    return process.stdout.columns
  },
}

const RESET = '\u001b[0m'
const COLOURS: Readonly<Record<SpanStyle, string>> = {
  plain: '',
  faint: '\u001b[2m',
  name: '\u001b[36m',
  event: '\u001b[32m',
  error: '\u001b[31m',
}

function formatStyledLine(line: StyledLine, isColoured: boolean): string {
  const texts = line.map(({ text, style }) => {
    const escaped = escapeControls(text)
    return isColoured && style !== 'plain' ? `${COLOURS[style]}${escaped}${RESET}` : escaped
  })
  return `${texts.join('')}\n`
}

function readInput(maxBytes: number): string {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = readChunk(chunk)
    if (length === 0) break
    total += length
    if (total > maxBytes)
      throw usageFault(
        `Standard input holds more than ${maxBytes} bytes, which is all that this command takes.`,
      )
    chunks.push(chunk.subarray(0, length))
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(STDIN, chunk)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      // The pipe is non-blocking and empty: wait for the writer without spinning.
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

const ENTER = new Set(['\r', '\n'])
const ERASE = new Set(['\u007f', '\b'])
const INTERRUPT = '\u0003'
const END_OF_INPUT = '\u0004'

function readWithoutEcho(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  // Set before the prompt, so an immediate answer is not echoed.
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stderr.write(prompt)
  return new Promise((resolve, reject) => {
    const typed: string[] = []
    const finish = (settle: () => void) => {
      stdin.setRawMode(false)
      stdin.pause()
      stdin.removeListener('data', onData)
      stderr.write('\n')
      settle()
    }
    const onData = (keys: string) => {
      for (const key of keys) {
        if (ENTER.has(key) || key === END_OF_INPUT) return finish(() => resolve(typed.join('')))
        if (key === INTERRUPT) return finish(() => reject(usageFault('Interrupted; nothing was done.')))
        if (ERASE.has(key)) typed.pop()
        else typed.push(key)
      }
    }
    stdin.on('data', onData)
    stdin.resume()
  })
}

export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

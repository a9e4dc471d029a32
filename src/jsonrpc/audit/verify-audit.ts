/** Verifies an audit log: is it as it was written, and if not, where does it differ first and why? */
import { readLines } from '#platform/files/durable-lines.ts'
import {
  type AuditLine,
  type ChainEnd,
  MAX_LINE_BYTES,
  NO_LINES,
  parseAuditLine,
  sha256Of,
} from './audit-line.ts'

export interface AuditReport {
  /** The last line; undefined if there is none. */
  readonly end: (ChainEnd & { readonly time: string }) | undefined
  readonly broken: AuditBreak | undefined
  /** Places where a start of the node found and reported bytes left by a crash. */
  readonly torn: readonly AuditPlace[]
  /** Where the head that somebody kept is among the lines; undefined if none was given. */
  readonly knowsHead: 'last' | 'earlier' | 'absent' | undefined
}

export interface AuditPlace {
  readonly file: string
  /** The line number of an editor. */
  readonly place: number
}

export interface AuditBreak extends AuditPlace {
  readonly sentence: string
}

/** `files` in order, the oldest first. */
export async function verifyAudit(files: readonly string[], keptHead?: string): Promise<AuditReport> {
  const walk = new AuditWalk(keptHead)
  for (const file of files) {
    let place = 0
    for await (const { bytes, isEnded } of readLines(file, MAX_LINE_BYTES)) {
      place += 1
      walk.take(bytes, isEnded, { file, place })
    }
    walk.endFile()
  }
  return walk.report()
}

/** Bytes that are not a line, until a later line reports them. */
interface Fragment extends AuditPlace {
  readonly parts: Uint8Array[]
  readonly sentence: string
}

class AuditWalk {
  readonly #keptHead: string | undefined
  readonly #torn: AuditPlace[] = []
  #end: ChainEnd & { readonly time: string } = { ...NO_LINES, time: '' }
  #fragment: Fragment | undefined
  #broken: AuditBreak | undefined
  #knowsHead = false
  /** The line that continues the chain after the break, if it appears later. */
  #missed: AuditPlace | undefined

  constructor(keptHead: string | undefined) {
    this.#keptHead = keptHead
  }

  take(bytes: Uint8Array, isEnded: boolean, at: AuditPlace): void {
    const line = parseAuditLine(bytes)
    if (typeof line === 'string') {
      // After the first difference nothing can be said about unreadable bytes.
      if (this.#broken === undefined) this.#takeFragment(bytes, isEnded, at, line)
      return
    }
    if (line.hash === this.#keptHead) this.#knowsHead = true
    if (this.#broken !== undefined) {
      if (line.previous === this.#end.hash && line.line === this.#end.line + 1) this.#missed ??= at
      return
    }
    if (this.#fragment !== undefined && !this.#settle(this.#fragment, line)) return
    const sentence = differenceOf(line, this.#end)
    if (sentence === undefined) this.#end = { line: line.line, hash: line.hash, time: line.time }
    else this.#broken = { ...at, sentence }
  }

  endFile(): void {
    if (this.#fragment !== undefined) this.#broken ??= this.#fragment
  }

  report(): AuditReport {
    const { line, hash } = this.#end
    const isKnown = this.#knowsHead ? (hash === this.#keptHead ? 'last' : 'earlier') : 'absent'
    return {
      end: line === 0 ? undefined : this.#end,
      broken: this.#broken && this.#withMissed(this.#broken),
      torn: this.#torn,
      knowsHead: this.#keptHead === undefined ? undefined : isKnown,
    }
  }

  #takeFragment(bytes: Uint8Array, isEnded: boolean, at: AuditPlace, kind: 'unreadable' | 'changed'): void {
    const sentence =
      kind === 'changed'
        ? 'This line was changed after it was written: its hash is another than the one it ends with.'
        : isEnded
          ? 'This line was changed or damaged: no node wrote it.'
          : 'This line is torn, as after a power cut or on a full disk. The next start of the node records it; if one already has, someone changed the line.'
    this.#fragment ??= { ...at, sentence, parts: [] }
    this.#fragment.parts.push(bytes, LINE_END)
  }

  /** Returns false if no crash left the fragment. */
  #settle(fragment: Fragment, { unreadable }: AuditLine): boolean {
    this.#fragment = undefined
    const bytes = Buffer.concat(fragment.parts.slice(0, -1))
    const isTold = unreadable?.bytes === bytes.length && unreadable.sha256 === sha256Of(bytes)
    const { file, place, sentence } = fragment
    if (isTold && !unreadable.isEnded) {
      this.#torn.push({ file, place })
      return true
    }
    this.#broken = { file, place, sentence }
    return false
  }

  #withMissed(broken: AuditBreak): AuditBreak {
    if (this.#missed === undefined) return broken
    const { file, place } = this.#missed
    const where = file === broken.file ? `line ${place}` : `line ${place} of ${file}`
    return {
      ...broken,
      sentence: `${broken.sentence} The line that belongs here is ${where}: lines were swapped, or others were put between them.`,
    }
  }
}

const LINE_END = Buffer.from('\n')

function differenceOf(line: AuditLine, after: ChainEnd): string | undefined {
  if (line.previous === after.hash && line.line === after.line + 1) return undefined
  const expected = after.line + 1
  if (after.line === 0) {
    return `The log begins with line number ${line.line}: what was before it is missing. If it is in an older file, name that one first.`
  }
  if (line.line > expected) {
    const missing =
      line.line === expected + 1 ? `number ${expected} is` : `numbers ${expected} to ${line.line - 1} are`
    return `This line has number ${line.line}, and ${missing} missing before it: lines were removed or moved.`
  }
  if (line.line <= after.line) {
    return `This line has number ${line.line} but follows number ${after.line}: one of them was inserted or moved.`
  }
  return `This line was not written after the one before it: that one was replaced, together with its hash.`
}

/**
 * Finds a list of strings at the top level of a TOML file and changes it in place, so comments, order and everything else stay
 * as written. The TOML parser returns only values, so this file finds the positions; callers parse a changed text again.
 */
import type { Sliced } from '#platform/next-turn.ts'
import { TomlScan } from './toml-scan.ts'

/** One string of the list and its surroundings. */
interface TomlElement {
  /** Blanks, line ends and comments before the string. */
  readonly lead: string
  /** The string with its quotation marks. */
  readonly token: string
  /** The text between the string and its comma. */
  readonly gap: string
  readonly hasComma: boolean
  /** The comment after the element on the same line. */
  readonly trail: string
  /** The offset of the string in the file. */
  readonly offset: number
}

export interface TomlList {
  /** The file up to and including the opening bracket. */
  readonly head: string
  readonly elements: readonly TomlElement[]
  /** The file from the end of the last element. */
  readonly rest: string
}

/** Returns undefined if there is no such list or if it contains anything but strings. The text must be valid TOML. */
export function* findTomlList(text: string, key: string): Sliced<TomlList | undefined> {
  const scan = new TomlScan(text)
  for (;;) {
    scan.trivia()
    if (scan.isAtEnd || scan.next === '[') return undefined
    const name = scan.key()
    if (name === undefined) return undefined
    if (name === key) return scan.next === '[' ? yield* readList(text, scan) : undefined
    if (!scan.value()) return undefined
    yield
  }
}

function* readList(text: string, scan: TomlScan): Sliced<TomlList | undefined> {
  scan.step()
  const head = text.slice(0, scan.at)
  const elements: TomlElement[] = []
  for (;;) {
    yield
    const start = scan.at
    const lead = scan.trivia()
    if (scan.next === ']') return { head, elements, rest: text.slice(start) }
    const offset = scan.at
    const token = scan.string()
    if (token === '') return undefined
    const behind = scan.at
    const gap = scan.trivia()
    const hasComma = scan.next === ','
    if (hasComma) scan.step()
    // The rest belongs to the end of the list, except for a comment on the same line.
    else scan.at = behind
    const trail = scan.lineComment()
    elements.push({ lead, token, gap: hasComma ? gap : '', hasComma, trail, offset })
  }
}

/** The line of an element, counted from 1. */
export function lineOfElement(text: string, { offset }: { readonly offset: number }): number {
  return text.slice(0, offset).split('\n').length
}

/** Returns the file with the kept elements and `added`. A comment after an element is removed with it, others stay. */
export function* changeTomlList(
  { head, elements, rest }: TomlList,
  isKept: (index: number) => boolean,
  added: readonly string[],
): Sliced<string> {
  const out = new ListWriter(head)
  const hasTrailingComma = elements.at(-1)?.hasComma ?? false
  let left = elements.filter((_, index) => isKept(index)).length + added.length
  const comma = (): string => (--left > 0 || hasTrailingComma ? ',' : '')
  let freedLead: string | undefined
  for (const [index, { lead, token, gap, trail }] of elements.entries()) {
    yield
    if (!isKept(index)) {
      out.keepComments(lead)
      if (isInline(lead)) freedLead ??= lead
      continue
    }
    out.add(freedLead !== undefined && isInline(lead) ? freedLead : lead)
    out.add(`${token}${gap}${comma()}${trail}`, trail !== '')
    freedLead = undefined
  }
  // In an empty list, its comments come first.
  const comments = elements.length === 0 && added.length > 0 ? new TomlScan(rest).trivia() : ''
  out.add(comments)
  const lead = leadOfAdded(elements)
  for (const value of added) {
    yield
    out.add(out.hasElement || !isInline(lead) ? lead : '')
    out.add(`${JSON.stringify(value)}${comma()}`)
  }
  out.add(rest.slice(comments.length))
  return out.text
}

function isInline(lead: string): boolean {
  return !/[\n#]/.test(lead)
}

/** New elements are laid out like the last one: on their own line with the same indentation, or on the same line. */
function leadOfAdded(elements: readonly TomlElement[]): string {
  const lead = elements.at(-1)?.lead ?? ''
  const end = lead.lastIndexOf('\n')
  if (end === -1) return elements.length === 1 ? '' : lead
  return lead.slice(lead[end - 1] === '\r' ? end - 1 : end)
}

class ListWriter {
  text: string
  hasElement = false
  #endsInComment = false

  constructor(head: string) {
    this.text = head
  }

  add(piece: string, endsInComment = false): void {
    if (piece === '') return
    // Text after a comment must begin on the next line.
    if (this.#endsInComment && !/^[ \t]*\r?\n/.test(piece)) this.text += '\n'
    this.text += piece
    this.#endsInComment = endsInComment
    this.hasElement ||= /["']/.test(piece[0] ?? '')
  }

  /** Keeps the comments before a removed element. */
  keepComments(lead: string): void {
    const kept = lead.slice(0, Math.max(0, lead.lastIndexOf('\n'))).replace(/\r$/, '')
    if (kept.includes('#')) this.add(kept, kept.slice(kept.lastIndexOf('\n') + 1).includes('#'))
  }
}

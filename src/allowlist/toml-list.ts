/**
 * Finds a list of texts at the top level of a TOML file and changes it in place, so that comments, order and everything
 * else in the file stay as a person wrote them. The parser gives values only, so the places are found here; whoever
 * uses a changed text has it parsed again.
 */
import type { Sliced } from '#platform/next-turn.ts'
import { TomlScan } from './toml-scan.ts'

/** One text of the list, and what stands around it. */
interface TomlElement {
  /** Blanks, line ends and comments before it. */
  readonly lead: string
  /** With its quotation marks. */
  readonly token: string
  /** Between the text and its comma. */
  readonly gap: string
  readonly hasComma: boolean
  /** A comment behind it on its line. */
  readonly trail: string
  /** Where the text begins in the file. */
  readonly offset: number
}

export interface TomlList {
  /** Before the elements, with the opening bracket. */
  readonly head: string
  readonly elements: readonly TomlElement[]
  /** Behind the elements, with the closing bracket. */
  readonly rest: string
}

/** undefined: there is no such list, or it holds something else than texts. The text is TOML. */
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
    // What follows belongs to the end of the list, but for a comment on the same line.
    else scan.at = behind
    const trail = scan.lineComment()
    elements.push({ lead, token, gap: hasComma ? gap : '', hasComma, trail, offset })
  }
}

/** Where an element stands in the file: its line, counted from 1. */
export function lineOfElement(text: string, { offset }: { readonly offset: number }): number {
  return text.slice(0, offset).split('\n').length
}

/**
 * The whole file with the elements that are kept, and `added` behind them. A comment behind an element goes with it; one
 * on a line of its own stays.
 */
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
  // In a list without elements its comments come first.
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

/** As the last one stands: on a line of its own with the same indentation, or behind it. */
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
    // What would stand behind a comment begins on the next line.
    if (this.#endsInComment && !/^[ \t]*\r?\n/.test(piece)) this.text += '\n'
    this.text += piece
    this.#endsInComment = endsInComment
    this.hasElement ||= /["']/.test(piece[0] ?? '')
  }

  /** Those in front of an element that goes. */
  keepComments(lead: string): void {
    const kept = lead.slice(0, Math.max(0, lead.lastIndexOf('\n'))).replace(/\r$/, '')
    if (kept.includes('#')) this.add(kept, kept.slice(kept.lastIndexOf('\n') + 1).includes('#'))
  }
}

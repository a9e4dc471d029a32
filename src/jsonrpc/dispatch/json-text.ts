import { isUtf8 } from 'node:buffer'

/** People write comments, in short messages; removing them from longer ones would cost too much. */
const MAX_COMMENTED_LENGTH = 1024 * 1024

export type JsonText = { readonly value: unknown /** Free of comments. */; readonly text: string }

export interface BytesOwner {
  /** Called when the bytes are no longer needed, before the text becomes values of the same size. */
  onDecoded?(): void
}

/**
 * JSON as Besu's clients may send it: with a byte order mark and Java comments; the last of several equal members
 * wins. Undefined if it is not JSON or not UTF-8. `scan-json.ts` has bounded the costs before.
 */
export function parseJsonText(bytes: Uint8Array, owner?: BytesOwner): JsonText | undefined {
  const text = decodeUtf8(bytes)
  owner?.onDecoded?.()
  if (text === undefined) return undefined
  const plain = tryParse(text)
  if (plain !== undefined || text.length > MAX_COMMENTED_LENGTH || !text.includes('/')) return plain
  const stripped = stripComments(text)
  return stripped === undefined ? undefined : tryParse(stripped)
}

function tryParse(text: string): JsonText | undefined {
  try {
    return { value: JSON.parse(text), text }
  } catch {
    return undefined
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  // Invalid UTF-8 becomes U+FFFD; only then check whether that was in the message.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return undefined
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Replaces each comment by a space. Undefined if a slash outside strings begins no comment, or one never ends. */
function stripComments(text: string): string | undefined {
  let stripped = ''
  let kept = 0
  // Both are searched again only once they are behind: one search per comment would be quadratic.
  let quote = text.indexOf('"')
  for (let slash = text.indexOf('/'); slash >= 0; ) {
    if (quote >= 0 && quote < slash) {
      const end = endOfString(text, quote)
      quote = text.indexOf('"', end)
      if (slash < end) slash = text.indexOf('/', end)
      continue
    }
    const end = endOfComment(text, slash)
    if (end === undefined) return undefined
    stripped += `${text.slice(kept, slash)} `
    kept = end
    slash = text.indexOf('/', end)
    if (quote >= 0 && quote < end) quote = text.indexOf('"', end)
  }
  return stripped + text.slice(kept)
}

function endOfComment(text: string, slash: number): number | undefined {
  if (text[slash + 1] === '*') {
    const end = text.indexOf('*/', slash + 2)
    return end < 0 ? undefined : end + 2
  }
  if (text[slash + 1] !== '/') return undefined
  LINE_END.lastIndex = slash + 2
  return LINE_END.exec(text)?.index ?? text.length
}

const LINE_END = /[\n\r]/g

/** The index after the closing quote of the string at `start`, or after the text if there is none. */
export function endOfString(text: string, start: number): number {
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    let backslashes = 0
    while (text[quote - backslashes - 1] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

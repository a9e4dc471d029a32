import { nextTurn } from '#platform/next-turn.ts'

/** A complete text, or a stream of chunks. */
export type AnswerBody = string | AsyncIterable<string>

/** A text that many clients get, between short ones for this client, joined only in pieces. */
export interface SharedText {
  readonly before: string
  readonly shared: string
  readonly after: string
}

export function joined(text: string | SharedText): string {
  return typeof text === 'string' ? text : text.before + text.shared + text.after
}

/**
 * The unit of streaming: a shorter answer is sent in one piece, a longer one in pieces of about this size, each after the
 * client has taken the one before. It is large enough for few system calls and small against a client's share of memory.
 */
export const PIECE_CHARS = 64 * 1024

/**
 * Never splits a surrogate pair, because each piece is encoded separately. Yields to the event loop after each piece: a
 * fast client and a fast engine would otherwise hold the thread, because neither has to be waited for.
 */
export async function* piecesOf(
  body: AnswerBody | SharedText,
  maxChars = PIECE_CHARS,
): AsyncGenerator<string, void, void> {
  for await (const piece of pieces(body, maxChars)) {
    yield piece
    await nextTurn()
  }
}

/** The slices share the memory of the text: only the first and the last one are joined with what is around it. */
export function* slicesOf(
  { before, shared, after }: SharedText,
  maxChars: number,
): Generator<string, void, void> {
  let start = 0
  let head = before
  while (head.length + shared.length - start + after.length > maxChars && start < shared.length) {
    const end = pairSafe(shared, Math.min(shared.length, start + Math.max(2, maxChars - head.length)))
    yield head + shared.slice(start, end)
    head = ''
    start = end
  }
  yield head + shared.slice(start) + after
}

async function* pieces(body: AnswerBody | SharedText, maxChars: number): AsyncGenerator<string, void, void> {
  if (typeof body === 'string') return yield* slices(body, maxChars)
  if ('shared' in body) return yield* slicesOf(body, maxChars)
  let gathered = ''
  for await (const chunk of body) {
    if (gathered.length + chunk.length < maxChars) {
      gathered += chunk
      continue
    }
    const end = pairSafe(chunk, chunk.length)
    yield* slicesOf({ before: gathered, shared: chunk.slice(0, end), after: '' }, maxChars)
    gathered = chunk.slice(end)
  }
  if (gathered !== '') yield gathered
}

function* slices(text: string, maxChars: number): Generator<string, void, void> {
  let start = 0
  while (text.length - start > maxChars) {
    const end = pairSafe(text, start + maxChars)
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length) yield text.slice(start)
}

/** Returns `end`, or one less if that would split a pair. */
function pairSafe(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

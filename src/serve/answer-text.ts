import { nextTurn } from '#platform/next-turn.ts'

/** A complete text, or a stream of chunks. */
export type AnswerBody = string | AsyncIterable<string>

/**
 * The unit of streaming: a shorter answer is sent in one piece, a longer one in pieces of about this size, each after the
 * client has taken the one before. It is large enough for few system calls and small against a client's share of memory.
 */
export const PIECE_CHARS = 64 * 1024

/**
 * Never splits a surrogate pair, because each piece is encoded separately. Yields to the event loop after each piece: a
 * fast client and a fast engine would otherwise hold the thread, because neither has to be waited for.
 */
export async function* piecesOf(body: AnswerBody): AsyncGenerator<string, void, void> {
  for await (const piece of pieces(body)) {
    yield piece
    await nextTurn()
  }
}

async function* pieces(body: AnswerBody): AsyncGenerator<string, void, void> {
  if (typeof body === 'string') return yield* slices(body)
  let gathered = ''
  for await (const chunk of body) {
    gathered += chunk
    if (gathered.length < PIECE_CHARS) continue
    const end = pairSafe(gathered, gathered.length)
    yield* slices(gathered.slice(0, end))
    gathered = gathered.slice(end)
  }
  if (gathered !== '') yield gathered
}

function* slices(text: string): Generator<string, void, void> {
  let start = 0
  while (text.length - start > PIECE_CHARS) {
    const end = pairSafe(text, start + PIECE_CHARS)
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

import { nextTurn } from '#platform/next-turn.ts'

/** Whole, or in chunks as they come. */
export type AnswerBody = string | AsyncIterable<string>

/**
 * The unit of streaming: below it an answer is sent in one piece, above it in pieces of about this size, each
 * waiting for the client to take the one before. Large enough for few system calls, small against a client's
 * share of memory.
 */
export const PIECE_CHARS = 64 * 1024

/**
 * Never splits a surrogate pair, since each piece is encoded on its own. Others have a turn after each piece: a client and
 * an engine that are fast enough would hold the thread otherwise, for neither has to be waited for.
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

/** `end`, or one before it where a pair would be cut. */
function pairSafe(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

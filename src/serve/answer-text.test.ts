import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '#platform/next-turn.ts'
import { PIECE_CHARS, piecesOf } from './answer-text.ts'

test('a long answer yields to the event loop after each piece, even without waiting', async () => {
  const chunks = Array.from({ length: 20 }, () => 'x'.repeat(PIECE_CHARS))
  async function* stream(): AsyncGenerator<string, void, void> {
    yield* chunks
  }
  for (const body of [stream(), chunks.join('')]) {
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn()
    })()
    const pieces = await Array.fromAsync(piecesOf(body))
    isOver = true
    await others
    assert.equal(pieces.join(''), chunks.join(''))
    assert(turns >= chunks.length, `${turns} turns`)
  }
})

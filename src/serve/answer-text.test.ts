import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '#platform/next-turn.ts'
import { joined, PIECE_CHARS, piecesOf, slicesOf } from './answer-text.ts'

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

test('the slices of a shared text are as long as allowed and split no surrogate pair', () => {
  for (const shared of ['', 'x', 'x'.repeat(90), '😀'.repeat(45), `x${'😀'.repeat(45)}`]) {
    for (let maxChars = 12; maxChars < 120; maxChars++) {
      const text = { before: '{"result":', shared, after: '}' }
      const slices = [...slicesOf(text, maxChars)]
      assert.equal(slices.join(''), joined(text))
      assert(slices.every((slice) => slice.length <= maxChars && slice.isWellFormed()))
      assert(slices.length <= Math.ceil(joined(text).length / (maxChars - 1)))
    }
  }
})

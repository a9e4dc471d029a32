import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from '#platform/bound-memory.ts'
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

test('a large chunk that many clients get is not copied for each of them', async () => {
  const chunk = 'x'.repeat(1_000_000)
  async function* stream(): AsyncGenerator<string, void, void> {
    yield '{"result":'
    yield chunk
    yield '}'
  }
  const answers = Array.from({ length: 200 }, () => piecesOf(stream(), 1_000))
  await collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  for (const pieces of answers) await pieces.next()
  await collectGarbage()
  const heap = process.memoryUsage().heapUsed - heapBefore
  assert.ok(heap < 10_000_000, `the heap grew by ${heap} bytes`)
  assert.equal(
    (await Array.fromAsync(answers[0]!)).join('').length,
    chunk.length + '{"result":}'.length - 1_000,
  )
})

test('a surrogate pair in two chunks of a stream stays together', async () => {
  async function* stream(): AsyncGenerator<string, void, void> {
    yield* `${'😀'.repeat(20)}x${'😀'.repeat(20)}`.split('')
  }
  for (let maxChars = 2; maxChars < 10; maxChars++) {
    const pieces = await Array.fromAsync(piecesOf(stream(), maxChars))
    assert.equal(pieces.join(''), `${'😀'.repeat(20)}x${'😀'.repeat(20)}`)
    assert(pieces.every((piece) => piece.length <= maxChars && piece.isWellFormed()))
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

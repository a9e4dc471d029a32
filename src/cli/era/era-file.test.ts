import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestChain } from '#chain/chain.fixture.ts'
import { growChain } from '#chain/write/move-history.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { accumulatorOf } from './accumulator.ts'
import { eraOf, hashBlock, sourceIn } from './era.fixture.ts'
import { readEra } from './era-file.ts'
import { decodeFrames, encodeFrames } from './snappy-frames.ts'

const random = createSeededRandom(Number(process.env.CAIRN_SEED ?? 5))

test('snappy frames hold any bytes, and a changed byte is found', () => {
  const texts = [0, 1, 100, 65_536, 65_537, 200_000].map((length) => {
    const bytes = random.randomBytes(length)
    return length % 2 === 0 ? bytes : bytes.fill(7, 10)
  })
  for (const text of texts)
    assert.deepEqual(decodeFrames(encodeFrames(text), text.length), new Uint8Array(text))
  const frames = encodeFrames(texts[2]!)
  for (let at = 0; at < frames.length; at++) {
    const changed = Uint8Array.from(frames)
    changed[at]! ^= 0x10
    assert.throws(() => decodeFrames(changed, 100), { kind: 'BLOCKS_FILE_INVALID' }, `byte ${at}`)
  }
  assert.throws(() => decodeFrames(encodeFrames(texts[5]!), 199_999), /more than 199999 bytes/)
})

test('repeated identifiers and skippable chunks are ignored, unknown chunks are refused', () => {
  const identifier = encodeFrames(new Uint8Array(0))
  const skippable = Buffer.from('fe020000aaaa', 'hex')
  assert.equal(decodeFrames(Buffer.concat([identifier, skippable, identifier]), 0).length, 0)
  const unknown = Buffer.from('02020000aaaa', 'hex')
  assert.throws(() => decodeFrames(Buffer.concat([identifier, unknown]), 0), /unknown type 2/)
})

test('the accumulator of eras with few and all blocks differs with each block', () => {
  const headers = Array.from({ length: 8_192 }, (_, at) => ({
    hash: new Uint8Array(32).fill(at),
    totalDifficulty: BigInt(at),
  }))
  const roots = [0, 1, 2, 3, 8_191, 8_192].map((count) =>
    Buffer.from(accumulatorOf(headers.slice(0, count))).toString('hex'),
  )
  assert.equal(new Set(roots).size, roots.length)
})

test('an era file returns its blocks, and any change of a header or an index is refused', async () => {
  const chain = await openTestChain()
  await growChain(chain, 6)
  const { bytes, blocks } = eraOf(chain)
  assert.deepEqual([...readEra(sourceIn(bytes), hashBlock)], blocks)
  for (let at = 0; at < bytes.length; at += 3) {
    const changed = Uint8Array.from(bytes)
    changed[at]! ^= 1 << (at % 8)
    try {
      assert.deepEqual([...readEra(sourceIn(changed), hashBlock)], blocks, `byte ${at}`)
    } catch (error) {
      assert.equal((error as { kind?: string }).kind, 'BLOCKS_FILE_INVALID', `byte ${at}: ${error}`)
    }
  }
  for (let length = 0; length < bytes.length; length += 5)
    assert.throws(() => [...readEra(sourceIn(bytes.subarray(0, length)), hashBlock)], {
      kind: 'BLOCKS_FILE_INVALID',
    })
  await chain.close()
})

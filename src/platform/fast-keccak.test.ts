import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRunningKeccak, keccak256 } from '#types/keccak.ts'
import { loadFastKeccak, loadRunningKeccak } from './fast-keccak.ts'
import { INPUT_BYTES, RATE } from './keccak-module.ts'
import { createSeededRandom } from './random.fixture.ts'

const keccak = loadFastKeccak()
const random = createSeededRandom(1)

test('the fast hash equals the pure one for every length of a few blocks, and each hash has its own bytes', () => {
  const hashes: Uint8Array[] = []
  for (let length = 0; length <= 5 * RATE; length++) {
    const bytes = random.randomBytes(length)
    hashes.push(keccak(bytes))
    assert.deepEqual(hashes.at(-1), keccak256(bytes), `${length} bytes`)
  }
  assert.equal(new Set(hashes.map(String)).size, hashes.length)
})

test('input that exceeds the memory of the module is hashed in parts', () => {
  for (const around of [INPUT_BYTES, 2 * INPUT_BYTES, 200_000]) {
    for (const length of [around - RATE, around - 1, around, around + 1, around + RATE]) {
      const bytes = random.randomBytes(length)
      assert.deepEqual(keccak(bytes), keccak256(bytes), `${length} bytes`)
    }
  }
})

test('running hashes continue after they are read, and do not disturb each other', () => {
  const create = loadRunningKeccak()
  const pairs = Array.from({ length: 3 }, () => [create(), createRunningKeccak()] as const)
  const lengths = [0, 1, 16, RATE - 1, RATE, RATE + 1, 2 * RATE, 1_000, INPUT_BYTES + 1]
  for (let step = 0; step < 300; step++) {
    const [fast, pure] = pairs[step % pairs.length]!
    const bytes = random.randomBytes(lengths[random.randomBytes(1)[0]! % lengths.length]!)
    fast.update(bytes)
    pure.update(bytes)
    keccak(bytes)
    assert.deepEqual(fast.digest(), pure.digest(), `step ${step}`)
  }
})

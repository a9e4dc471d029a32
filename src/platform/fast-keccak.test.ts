import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from '#types/keccak.ts'
import { loadFastKeccak } from './fast-keccak.ts'
import { createSeededRandom } from './random.fixture.ts'

test('the fast hash equals the pure one, and each hash has its own bytes', async () => {
  const keccak = await loadFastKeccak()
  const random = createSeededRandom(1)
  const hashes: Uint8Array[] = []
  for (const length of [0, 1, 20, 32, 135, 136, 137, 532, 100_000]) {
    const bytes = random.randomBytes(length)
    hashes.push(keccak(bytes))
    assert.deepEqual(hashes.at(-1), keccak256(bytes))
  }
  assert.equal(new Set(hashes.map(String)).size, hashes.length)
})

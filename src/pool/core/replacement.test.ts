import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '#pool/pool.fixture.ts'
import { isUnderpriced } from './replacement.ts'

const BUMPS = { priceBump: 10, blobPriceBump: 100 }
const before = submission({ fee: 100, tip: 20 })

test('a replacement must exceed both fees by the bump, and no more', () => {
  assert.equal(isUnderpriced(submission({ fee: 110, tip: 22 }), before, BUMPS), undefined)
  for (const [fee, tip] of [
    [109, 22],
    [110, 21],
  ] as const) {
    const rejection = isUnderpriced(submission({ fee, tip }), before, BUMPS)
    assert.equal(rejection?.reason, 'TRANSACTION_REPLACEMENT_UNDERPRICED')
    assert.match(rejection.sentence, /offer at least (110|22) wei, not (109|21)/)
  }
})

test('a bump on price 0 is at least 1 wei, and without a bump an equal price replaces', () => {
  const free = submission({ fee: 0 })
  assert.ok(isUnderpriced(submission({ fee: 0 }), free, BUMPS))
  assert.equal(isUnderpriced(submission({ fee: 1 }), free, BUMPS), undefined)
  assert.equal(isUnderpriced(submission({ fee: 0 }), free, { ...BUMPS, priceBump: 0 }), undefined)
  assert.ok(isUnderpriced(submission({ fee: 99, tip: 20 }), before, { ...BUMPS, priceBump: 0 }))
})

test('a transaction with blobs is replaced only by one with blobs that doubles the prices', () => {
  const blobs = { ...before, type: 3 as const, maxFeePerBlobGas: 5n }
  const next = { ...submission({ fee: 200, tip: 40 }), type: 3 as const, maxFeePerBlobGas: 10n }
  assert.equal(isUnderpriced(next, blobs, BUMPS), undefined)
  assert.ok(isUnderpriced({ ...next, maxFeePerBlobGas: 9n }, blobs, BUMPS))
  assert.ok(isUnderpriced({ ...next, maxFeePerGas: 199n }, blobs, BUMPS))
  assert.match(
    isUnderpriced(submission({ fee: 200, tip: 40 }), blobs, BUMPS)!.sentence,
    /without blobs cannot/,
  )
  assert.match(isUnderpriced(next, before, BUMPS)!.sentence, /with blobs cannot/)
})

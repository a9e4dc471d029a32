import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOB_BYTES, type BlobSidecar, CELLS_PER_BLOB } from '#types/transaction/blob-sidecar.ts'
import { nativeBlobCrypto } from './kzg.ts'
import { loadAddon } from './load-addon.ts'

const loaded = loadAddon()
const crypto = loaded.ok ? nativeBlobCrypto(loaded.addon) : undefined
const skip = crypto === undefined ? 'the native engine is not built' : false

/** Field elements whose first byte is 0 are in range. */
function blobOf(seed: number): Uint8Array {
  return Uint8Array.from({ length: BLOB_BYTES }, (_, at) => (at % 32 === 0 ? 0 : (at * seed) & 0xff))
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.with(40, bytes[40]! ^ 1)
const first = (list: readonly Uint8Array[], by: (bytes: Uint8Array) => Uint8Array) => [
  by(list[0]!),
  ...list.slice(1),
]

for (const version of [0, 1] as const) {
  test(`commitments and proofs of version ${version} belong to their blobs only`, { skip }, async () => {
    const blobs = [blobOf(3), blobOf(5)]
    const sidecar = await crypto!.prove(blobs, version)
    assert.equal(sidecar.proofs.length, version === 0 ? 2 : 2 * CELLS_PER_BLOB)
    assert.equal(await crypto!.verify(sidecar), true)
    const swap = (list: readonly Uint8Array[]) => list.toReversed()
    const wrong: Partial<BlobSidecar>[] = [
      { blobs: swap(blobs) },
      { blobs: first(blobs, flipped) },
      { commitments: swap(sidecar.commitments) },
      { commitments: first(sidecar.commitments, flipped) },
      { proofs: swap(sidecar.proofs) },
      { proofs: first(sidecar.proofs, flipped) },
      { proofs: first(sidecar.proofs, (proof) => new Uint8Array(proof.length)) },
    ]
    for (const change of wrong) assert.equal(await crypto!.verify({ ...sidecar, ...change }), false)
  })
}

test('a blob with a field element out of range has no proofs', { skip }, async () => {
  const blob = new Uint8Array(BLOB_BYTES).fill(0xff)
  await assert.rejects(crypto!.prove([blob], 0), /out of range/)
  const sidecar = await crypto!.prove([blobOf(3)], 1)
  assert.equal(await crypto!.verify({ ...sidecar, blobs: [blob] }), false)
})

test('a panic of the native code rejects the promise', { skip }, async () => {
  if (!loaded.ok) return
  loaded.addon.panicNextForTest()
  await assert.rejects(crypto!.prove([blobOf(3)], 0), /panicked/)
})

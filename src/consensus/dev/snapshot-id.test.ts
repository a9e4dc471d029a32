import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parseHash } from '#types/hash.ts'
import { snapshotBlock, snapshotId } from './snapshot-id.ts'

const FIRST = parseHash(`0x${'00'.repeat(31)}01`)
const OTHER = parseHash(`0x${'ff'.repeat(32)}`)

test('an id finds its block while the block is on the chain', () => {
  for (const [number, hash] of [
    [0, FIRST],
    [0, OTHER],
    [7, OTHER],
    [2 ** 40, FIRST],
  ] as const) {
    const id = BigInt(snapshotId({ number, hash }))
    equal(
      snapshotBlock(id, (asked) => (asked === number ? hash : undefined)),
      number,
    )
    equal(
      snapshotBlock(id, () => (hash === FIRST ? OTHER : FIRST)),
      undefined,
    )
    equal(
      snapshotBlock(id, () => undefined),
      undefined,
    )
  }
})

test('other numbers are no snapshots', () => {
  for (const id of [0n, 1n, 2n ** 64n - 1n, 2n ** 255n])
    equal(
      snapshotBlock(id, () => OTHER),
      undefined,
    )
})

import { strictEqual } from 'node:assert'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { BlockTimes } from './block-times.ts'

const [self, one, two] = ['11', '22', '33'].map((byte) => parseAddress(byte.repeat(20)))
const hash = parseHash('00'.repeat(32))

function seen(lateMs: readonly number[], by = [one!, two!], from = 5): BlockTimes {
  const times = new BlockTimes(self!)
  times.note({ height: 1, parent: { hash, timestampSeconds: 0, coinbase: one! } }, 9_000_000)
  for (const [index, late] of lateMs.entries()) {
    const timestampSeconds = 1_000 + index
    const parent = { hash, timestampSeconds, coinbase: by[index % by.length]! }
    times.note({ height: from + index, parent }, timestampSeconds * 1_000 + late)
  }
  return times
}

test('a clock is ahead by the least delay of other validators', () => {
  strictEqual(seen([12_000, 12_300, 12_900, 14_000, 12_700]).clockAheadMs, 12_300)
})

test('one block on time, or blocks of only one validator, mean that the clock is right', () => {
  strictEqual(seen([12_000, 300, 12_900, 14_000, 12_700]).clockAheadMs, 300)
  strictEqual(seen([12_000, 12_000, 12_000, 12_000], [one!]).clockAheadMs, 0)
  strictEqual(seen([12_000, 12_000, 12_000, 12_000], [self!, one!]).clockAheadMs, 0)
  strictEqual(seen([-3_000, -3_000, -3_000, -3_000]).clockAheadMs, 0)
})

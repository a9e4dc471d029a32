import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { keccak256 } from '#types/keccak.ts'
import { RecentContent } from './recent-content.ts'
import { MAX_HASHED_BYTES } from './wire/read-items.ts'

const MIB = 1024 * 1024
const content = (length: number, last: number): Uint8Array => new Uint8Array(length).fill(last, -1)

for (const [name, length] of [
  ['short', 100],
  ['the longest that is hashed', MAX_HASHED_BYTES],
  ['long', MAX_HASHED_BYTES + 1],
] as const) {
  test(`${name}: recent content is recognised`, () => {
    const recent = new RecentContent(2, keccak256)
    const add = (...lasts: number[]) => lasts.map((last) => recent.add(content(length, last)))
    deepStrictEqual(add(1, 1, 2, 1, 2), [true, false, true, false, false])
    deepStrictEqual(add(3, 3, 1), [true, false, true])
  })
}

test('with a limit of 0 everything is new', () => {
  const recent = new RecentContent(0, keccak256)
  for (const length of [1, MAX_HASHED_BYTES + 1])
    deepStrictEqual([recent.add(content(length, 1)), recent.add(content(length, 1))], [true, true])
})

test('long contents are kept up to a byte limit, the newest first', () => {
  const recent = new RecentContent(100, keccak256)
  for (const last of [1, 2, 3]) deepStrictEqual(recent.add(content(15 * MIB, last)), true)
  deepStrictEqual(
    [3, 2].map((last) => recent.add(content(15 * MIB, last))),
    [false, false],
  )
  deepStrictEqual(recent.add(content(15 * MIB, 1)), true)
  deepStrictEqual(recent.add(content(2 * MIB, 1)), true)
  deepStrictEqual(recent.add(content(15 * MIB, 1)), false)
})

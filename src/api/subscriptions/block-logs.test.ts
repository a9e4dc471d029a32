import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FoundLog, type LogPattern, matcherOf } from '#chain/read/logs.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { BlockLogs } from './block-logs.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Calls `onRead` for every look at a log. */
function foundLog(index: number, address: string, topics: readonly string[], onRead = () => {}): FoundLog {
  return {
    index,
    get log() {
      onRead()
      return { address, topics, data: new Uint8Array() }
    },
  } as unknown as FoundLog
}

const pattern = (addresses: readonly string[], topics: readonly (readonly string[])[] = []): LogPattern =>
  ({ addresses, topics }) as unknown as LogPattern

test(`the index finds what each log on its own matches, in order (CAIRN_SEED=${SEED})`, () => {
  const random = createSeededRandom(SEED)
  const values = (max: number, kinds: number): string[] =>
    Array.from({ length: random.randomBelow(max + 1) }, () => `0x${random.randomBelow(kinds)}`)
  for (let round = 0; round < 300; round++) {
    const logs = Array.from({ length: random.randomBelow(30) }, (_, index) =>
      foundLog(index, `0x${random.randomBelow(8)}`, values(4, 4)),
    )
    const index = new BlockLogs(logs)
    for (let count = 0; count < 10; count++) {
      const topics = Array.from({ length: random.randomBelow(5) }, () => values(3, 5))
      const each = pattern(values(4, 10), topics)
      const matches = matcherOf(each)
      assert.deepEqual(
        index.matching(each).map((found) => found.index),
        logs.filter(({ log }) => matches(log)).map((found) => found.index),
      )
    }
  }
})

test('filters of other addresses, topics or topic counts look at no log', () => {
  let reads = 0
  const logs = Array.from({ length: 1_000 }, (_, index) =>
    foundLog(index, `0x${index % 10}`, ['0xa'], () => void reads++),
  )
  const index = new BlockLogs(logs)
  const patterns = [pattern(['0xb', '0xc']), pattern([], [['0xd']]), pattern([], [[], []])]
  for (const each of patterns) index.matching(each)
  const toIndex = reads
  for (let count = 0; count < 1_000; count++) {
    for (const { addresses, topics } of patterns) assert.deepEqual(index.matching({ addresses, topics }), [])
  }
  assert.equal(reads, toIndex)
  assert.equal(index.matching(pattern(['0x3'], [['0xa']])).length, 100)
  assert.equal(reads, toIndex + 100)
})

import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from './fake-clock.fixture.ts'
import { Gather } from './gather.ts'

function gathering(handsFirstOnAtOnce: boolean) {
  const clock = createFakeClock()
  const handed: number[][] = []
  const settings = { intervalMs: 50, handsFirstOnAtOnce }
  const gather = new Gather<number>(clock, settings, (items) => void handed.push([...items]))
  return { clock, handed, gather }
}

test('an item after a pause is handed on at once', () => {
  const { clock, handed, gather } = gathering(true)
  gather.add([1])
  clock.advance(50)
  gather.add([2, 3])
  deepStrictEqual(handed, [[1], [2, 3]])
})

test('items within the interval are handed on together when it is over', () => {
  const { clock, handed, gather } = gathering(true)
  gather.add([1])
  clock.advance(10)
  gather.add([2])
  clock.advance(39)
  gather.add([3])
  deepStrictEqual(handed, [[1]])
  clock.advance(1)
  deepStrictEqual(handed, [[1], [2, 3]])
  gather.add([4])
  clock.advance(50)
  deepStrictEqual(handed, [[1], [2, 3], [4]])
})

test('items wait for the interval if the first one is not handed on at once', () => {
  const { clock, handed, gather } = gathering(false)
  gather.add([1])
  clock.advance(49)
  gather.add([2])
  deepStrictEqual(handed, [])
  clock.advance(1)
  deepStrictEqual(handed, [[1, 2]])
  clock.advance(100)
  gather.add([3])
  deepStrictEqual(handed, [[1, 2]])
  clock.advance(50)
  deepStrictEqual(handed, [[1, 2], [3]])
})

test('a quiet source waits less than the interval, and a busy one the complete interval', () => {
  const clock = createFakeClock()
  const handed: number[][] = []
  const settings = { intervalMs: 50, handsFirstOnAtOnce: true, perItemMs: 10 }
  const gather = new Gather<number>(clock, settings, (items) => void handed.push([...items]))
  gather.add([1])
  clock.advance(5)
  gather.add([2])
  deepStrictEqual(handed, [[1]])
  clock.advance(5)
  deepStrictEqual(handed, [[1], [2]])
  clock.advance(10)
  gather.add([3, 4, 5, 6, 7, 8, 9])
  gather.add([10])
  clock.advance(49)
  deepStrictEqual(handed.length, 3)
  clock.advance(1)
  deepStrictEqual(handed.at(-1), [10])
})

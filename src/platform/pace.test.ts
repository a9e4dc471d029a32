import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from './fake-clock.fixture.ts'
import { Pace } from './pace.ts'

function paced() {
  const clock = createFakeClock()
  const handed: number[][] = []
  const pace = new Pace<number>(clock, 50, (items) => void handed.push([...items]))
  return { clock, handed, pace }
}

test('an item after a pause is handed on at once', () => {
  const { clock, handed, pace } = paced()
  pace.add([1])
  clock.advance(50)
  pace.add([2, 3])
  deepStrictEqual(handed, [[1], [2, 3]])
})

test('items within the interval are handed on together when it is over', () => {
  const { clock, handed, pace } = paced()
  pace.add([1])
  clock.advance(10)
  pace.add([2])
  clock.advance(39)
  pace.add([3])
  deepStrictEqual(handed, [[1]])
  clock.advance(1)
  deepStrictEqual(handed, [[1], [2, 3]])
  pace.add([4])
  clock.advance(50)
  deepStrictEqual(handed, [[1], [2, 3], [4]])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBudget, BodyCollector } from './body-collector.ts'

const MIB = 1024 * 1024

test('a body in one piece is not copied and takes nothing of the budget', () => {
  const budget = new BodyBudget(MIB)
  const collector = new BodyCollector(MIB, budget)
  const chunk = Buffer.from('{"id":1}')
  assert.equal(collector.add(chunk), null)
  assert.equal(collector.body.buffer, chunk.buffer)
  assert.equal(budget.takenBytes, 0)
})

test('pieces of every size come together', () => {
  const budget = new BodyBudget(MIB)
  const whole = Buffer.from(`"${'0123456789'.repeat(60_000)}"`)
  for (const size of [1_000, 65_536, 299_999, whole.length - 1]) {
    const collector = new BodyCollector(MIB, budget)
    for (let at = 0; at < whole.length; at += size) {
      assert.equal(collector.add(whole.subarray(at, at + size)), null)
    }
    assert.ok(whole.equals(collector.body), `in pieces of ${size}`)
    collector.release()
    assert.equal(budget.takenBytes, 0)
  }
})

test('read bytes can be freed before the request ends, and the budget stays reserved', () => {
  const budget = new BodyBudget(MIB)
  const collector = new BodyCollector(MIB, budget)
  for (let part = 0; part < 4; part += 1) assert.equal(collector.add(Buffer.alloc(MIB / 4, ' ')), null)
  const { body } = collector
  const takenBytes = budget.takenBytes
  collector.free()
  assert.equal(body.length, 0)
  assert.equal(budget.takenBytes, takenBytes)
  collector.release()
  assert.equal(budget.takenBytes, 0)
})

test('pieces are freed once they were copied, refused or read', () => {
  const piece = (): Buffer => Buffer.allocUnsafeSlow(4096).fill(' ')
  const [first, second, third, only] = [piece(), piece(), piece(), piece()]
  const several = new BodyCollector(8192, new BodyBudget(8192))
  assert.equal(several.add(first), null)
  assert.equal(first.length, 4096)
  assert.equal(several.add(second), null)
  assert.equal(several.add(third), 'too-large')
  const single = new BodyCollector(8192, new BodyBudget(8192))
  assert.equal(single.add(only), null)
  single.free()
  assert.deepEqual(
    [first, second, third, only].map(({ length }) => length),
    [0, 0, 0, 0],
  )
})

test('a part of a shared buffer stays unchanged', () => {
  const buffer = Buffer.alloc(16_384, ' ')
  const collector = new BodyCollector(16_384, new BodyBudget(16_384))
  assert.equal(collector.add(buffer.subarray(0, 8192)), null)
  assert.equal(collector.add(buffer.subarray(8192)), null)
  collector.release()
  assert.equal(buffer.length, 16_384)
})

test('the limit is exact', () => {
  const collector = new BodyCollector(10, new BodyBudget(10))
  assert.equal(collector.add(Buffer.from('123456')), null)
  assert.equal(collector.add(Buffer.from('7890')), null)
  assert.equal(collector.add(Buffer.from('1')), 'too-large')
})

test('all bodies together stay within the budget, and released bytes are free again', () => {
  const budget = new BodyBudget(8 * MIB)
  const grown = (): [BodyCollector, string | null] => {
    const collector = new BodyCollector(8 * MIB, budget)
    let refusal: string | null = null
    for (let part = 0; part < 8 && refusal === null; part += 1)
      refusal = collector.add(Buffer.alloc(MIB, ' '))
    return [collector, refusal]
  }
  const two = [grown(), grown()]
  assert.ok(two.every(([, refusal]) => refusal === null))
  const [third, refusal] = grown()
  assert.equal(refusal, 'no-room')
  third.release()
  two[0]![0].release()
  assert.equal(grown()[1], null)
  const ordinary = new BodyCollector(8 * MIB, budget)
  for (let part = 0; part < 2; part += 1) assert.equal(ordinary.add(Buffer.alloc(64 * 1024, ' ')), null)
})

test('nesting is refused across pieces', () => {
  const collector = new BodyCollector(MIB, new BodyBudget(MIB))
  assert.equal(collector.add(Buffer.from('['.repeat(64))), null)
  assert.equal(collector.add(Buffer.from('[')), 'malformed')
})

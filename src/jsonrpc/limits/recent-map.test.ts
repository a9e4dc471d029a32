import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentMap } from './recent-map.ts'

test('holds at most as many entries as allowed and forgets the longest unused first', () => {
  const map = new RecentMap<number, string>(4)
  for (let key = 1; key <= 5; key += 1) map.set(key, `v${key}`)
  assert.ok(map.size <= 4)
  assert.equal(map.get(1), undefined)
  assert.equal(map.get(5), 'v5')
})

test('an entry that is used stays however many others come', () => {
  const map = new RecentMap<string, number>(8)
  map.set('kept', 1)
  for (let index = 0; index < 100; index += 1) {
    map.set(`other ${index}`, index)
    assert.equal(map.get('kept'), 1)
    assert.ok(map.size <= 8)
  }
})

test('a key has one value, and none after delete or clear', () => {
  const map = new RecentMap<string, number>(4)
  map.set('a', 1)
  map.set('b', 1)
  map.set('c', 1)
  map.set('a', 2)
  assert.equal(map.get('a'), 2)
  assert.equal(map.size, 3)
  map.clear()
  assert.equal(map.size, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from './next-turn.ts'

test('what was waiting comes first', async () => {
  const order: string[] = []
  setImmediate(() => order.push('waiting'))
  await nextTurn()
  order.push('loop')
  assert.deepEqual(order, ['waiting', 'loop'])
})

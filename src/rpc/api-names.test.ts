import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodList } from './api-names.ts'
import { OWN_METHODS } from './known-methods.ts'
import { METHODS } from './methods.generated.ts'

test('every method that is here may be named as one that needs no token', () => {
  const names = METHODS.flatMap(({ name, aliases }) => [name, ...aliases])
  assert.deepEqual(methodList.parse(names.join(',')), names)
  assert.deepEqual(
    OWN_METHODS.filter((name) => !names.includes(name)),
    [],
  )
})

test('a method that nobody knows is refused with the nearest name', () => {
  assert.throws(() => methodList.parse('eth_blockNumbr'), /there is no eth_blockNumbr.*eth_blockNumber/)
})

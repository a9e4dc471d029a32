import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METHODS } from '#rpc/methods.generated.ts'
import { httpOptions } from '#rpc/settings/options.ts'
import { apiList, methodList } from './api-names.ts'
import { addMethodNames, apiNames, loadedApiNames } from './method-names.ts'

test('every method that is here may be named as one that needs no token', () => {
  const names = METHODS.flatMap(({ name, aliases }) => [name, ...aliases])
  assert.deepEqual(methodList.parse(names.join(',')), names)
})

test('a method that nobody knows is refused with the nearest name', () => {
  assert.throws(() => methodList.parse('eth_blockNumbr'), /there is no eth_blockNumbr.*eth_blockNumber/)
})

test('APIs of Besu are accepted before they have methods, and those with methods are listed in help', () => {
  const expected = 'ADMIN,BFT,DEBUG,ENGINE,ETH,IBFT,MINER,NET,PERM,PLUGINS,QBFT,TESTING,TRACE,TXPOOL,WEB3'
  // Plugins of other tests, which run in this process, may have brought more.
  assert.equal(
    apiNames()
      .filter((name) => expected.includes(name))
      .join(),
    expected,
  )
  assert.equal(apiList.parse(`${expected},CLIQUE`).length, 16)
  assert.equal(httpOptions.apis.help, `APIs to serve: ${loadedApiNames().join(', ')}.`)
  assert(!loadedApiNames().includes('ENGINE'))
})

test('what methods from outside bring may be named, and is in help', () => {
  assert.throws(() => apiList.parse('ETH,PLANT'), /invalid entries found \[PLANT\]/)
  addMethodNames(['plant_water'])
  assert.deepEqual(apiList.parse('ETH,PLANT'), ['ETH', 'PLANT'])
  assert.deepEqual(methodList.parse('plant_water'), ['plant_water'])
  assert.match(httpOptions.apis.help, /PLANT/)
  assert.throws(() => apiList.parse('PLAN'), /Did you mean PLANT/)
})

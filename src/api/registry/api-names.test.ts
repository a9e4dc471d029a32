import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METHODS } from '#api/methods.generated.ts'
import { httpOptions } from '#api/options.ts'
import { apiList, methodList } from '#jsonrpc/settings/options.ts'
import { KNOWN_METHODS } from './known-methods.ts'

const APIS = apiList(KNOWN_METHODS)
const NAMES = methodList(KNOWN_METHODS)

test('every served method may be exempt from tokens', () => {
  const names = METHODS.flatMap(({ name, aliases }) => [name, ...aliases])
  assert.deepEqual(NAMES.parse(names.join(',')), names)
})

test('an unknown method is refused with the nearest name', () => {
  assert.throws(() => NAMES.parse('eth_blockNumbr'), /there is no eth_blockNumbr.*eth_blockNumber/)
})

test('APIs of Besu are accepted before they have methods, and those with methods are listed in help', () => {
  const expected = 'ADMIN,BFT,DEBUG,ENGINE,ETH,IBFT,MINER,NET,PERM,PLUGINS,QBFT,TESTING,TRACE,TXPOOL,WEB3'
  // Plugins of other tests, which run in this process, may have brought more.
  assert.equal(
    KNOWN_METHODS.apis()
      .filter((name) => expected.includes(name))
      .join(),
    expected,
  )
  assert.equal(APIS.parse(`${expected},CLIQUE`).length, 16)
  assert.equal(httpOptions.apis.help, `APIs to serve: ${KNOWN_METHODS.servedApis().join(', ')}.`)
  assert(!KNOWN_METHODS.servedApis().includes('ENGINE'))
})

test('methods from outside the package may be named, and appear in help', () => {
  assert.throws(() => APIS.parse('ETH,PLANT'), /invalid entries found \[PLANT\]/)
  KNOWN_METHODS.add(['plant_water'])
  assert.deepEqual(APIS.parse('ETH,PLANT'), ['ETH', 'PLANT'])
  assert.deepEqual(NAMES.parse('plant_water'), ['plant_water'])
  assert.match(httpOptions.apis.help, /PLANT/)
  assert.throws(() => APIS.parse('PLAN'), /Did you mean PLANT/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { METHODS } from '#api/methods.generated.ts'
import { API } from '#api/served-api.ts'
import { rpcError } from '#jsonrpc/errors.ts'
import { createRegistry, NEEDS_CONNECTION } from '#jsonrpc/registry/registry.ts'
import { ABSENT_METHODS, BESU_METHODS } from './besu-methods.ts'

function declare(name: string, ...aliases: string[]) {
  return defineMethod({
    name,
    aliases,
    summary: '',
    needs: [],
    params: {},
    result: string(),
    run: () => '',
  })
}

test('a method is found when its API is enabled, also under its other names', () => {
  const method = declare('txpool_clientStatistics', 'txpool_besuStatistics')
  const registry = createRegistry({ methods: [method], apis: ['TXPOOL'] })
  assert.deepEqual(registry.find('txpool_clientStatistics'), { ok: true, method })
  assert.deepEqual(registry.find('txpool_besuStatistics'), { ok: true, method })
  assert.deepEqual(registry.methods, [method])
  assert.deepEqual(registry.enabled, ['TXPOOL'])
})

test('disabled, missing and unknown methods have different errors', () => {
  const methods = [declare('eth_chainId'), declare('own_thing')]
  const registry = createRegistry({ methods, apis: ['NET'], absent: ABSENT_METHODS })
  const errorOf = (name: string) => {
    const verdict = registry.find(name)
    return verdict.ok ? undefined : verdict.error
  }
  const notYet = rpcError('METHOD_NOT_ENABLED', { reason: 'not part of this version yet' })
  for (const name of ['eth_chainId', 'own_thing', 'miner_start']) {
    assert.deepEqual(errorOf(name), rpcError('METHOD_NOT_ENABLED'), name)
  }
  // Whatever is enabled: who reads it shall not look for a switch.
  for (const name of ['miner_getExtraData', 'engine_getPayloadV1', 'net_enode']) {
    assert.deepEqual(errorOf(name), notYet, name)
  }
  for (const name of ['eth_nope', 'ETH_chainId', ' eth_chainId', '', 'constructor', 'eth_mining']) {
    assert.deepEqual(errorOf(name), rpcError('METHOD_NOT_FOUND'), name)
  }
  assert.deepEqual(registry.methods, [])
})

test('rpc_modules and rpc.discover are there whatever is enabled', () => {
  const registry = createRegistry({ methods: METHODS, apis: [] })
  for (const name of ['rpc_modules', 'rpc.discover', 'rpc_discover']) {
    assert.equal(registry.find(name).ok, true, name)
  }
})

test('APIs have their exact case', () => {
  assert.equal(createRegistry({ methods: METHODS, apis: ['web3'] }).find('web3_sha3').ok, false)
})

test('a name is declared once', () => {
  const methods = [declare('eth_chainId'), declare('eth_other', 'eth_chainId')]
  assert.throws(() => createRegistry({ methods, apis: ['ETH'] }), /declared once/)
})

test('the 161 names of Besu are known, and three of the specification', () => {
  assert.equal(BESU_METHODS.size, 161 + 3)
  for (const name of ['eth_getTransactionReceipt', 'txpool_besuStatistics', 'txpool_clientStatistics']) {
    assert(BESU_METHODS.has(name))
  }
  assert.deepEqual([...ABSENT_METHODS.keys()], [...BESU_METHODS])
})

test('subscriptions are always available over WebSocket, and never over HTTP', () => {
  const needsConnection = defineMethod({
    name: 'eth_subscribe',
    summary: '',
    needs: ['connection'],
    params: {},
    result: string(),
    run: () => '',
  })
  const methods = [needsConnection, declare('eth_chainId')]
  const websocket = createRegistry({ methods, apis: ['NET'], always: API.alwaysOverWebSocket })
  assert.deepEqual(websocket.find('eth_subscribe'), { ok: true, method: needsConnection })
  assert.deepEqual(websocket.methods, [needsConnection])
  assert.equal(websocket.find('eth_chainId').ok, false)
  const http = createRegistry({ methods, apis: ['ETH'], staysConnected: false })
  assert.deepEqual(http.find('eth_subscribe'), { ok: false, error: NEEDS_CONNECTION })
  assert.deepEqual(http.methods, [methods[1]])
})

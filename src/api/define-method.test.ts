import assert from 'node:assert/strict'
import { test } from 'node:test'
import { number, string } from 'zod'
import { Param } from '#jsonrpc/method.ts'
import { apiOf } from '#jsonrpc/registry/method-names.ts'
import { defineMethod } from './define-method.ts'
import { dataParam } from './schema/values.ts'

const Text = new Param(string(), 'INVALID_PARAMS')
const Count = new Param(number(), 'INVALID_BLOCK_COUNT_PARAMS')

const declaration = {
  name: 'test_method',
  summary: 'A method for tests.',
  needs: [],
  result: string(),
  run: () => 'done',
} as const

test('parameters are decoded by their place and named', () => {
  const method = defineMethod({ ...declaration, params: { text: Text, count: Count } })
  assert.deepEqual(method.decode(['a', 1, 'more']), { ok: true, values: { text: 'a', count: 1 } })
})

test('run is typed by needs and parameters', () => {
  defineMethod({
    name: 'test_types',
    summary: 'Compiles.',
    needs: ['node'],
    params: { text: Text, data: dataParam({ maxBytes: 1 }).optional(), count: Count.default(3) },
    result: string(),
    run: ({ node, ...rest }, { text, data, count }, { signal }) => {
      const none: Record<never, never> = rest
      const bytes: Uint8Array | undefined = data
      const sum: number = count + (bytes?.length ?? 0)
      return `${node.networkId()} ${text} ${sum} ${signal.aborted} ${none}`
    },
  })
  defineMethod({
    ...declaration,
    params: {},
    // @ts-expect-error: a number is not the result that was declared
    run: () => 1,
  })
  defineMethod({
    ...declaration,
    params: {},
    // @ts-expect-error: a contract that was not requested is not passed in
    run: ({ log }) => String(log),
  })
})

test('the first invalid parameter determines the error', () => {
  const method = defineMethod({ ...declaration, params: { count: Count, text: Text } })
  assert.deepEqual(method.decode(['1', 2]), { ok: false, error: 'INVALID_BLOCK_COUNT_PARAMS' })
  assert.deepEqual(method.decode([1, 2]), { ok: false, error: 'INVALID_PARAMS' })
})

test('the error names the parameter that is checked first', () => {
  const first = Count.first()
  const method = defineMethod({ ...declaration, params: { text: Text, count: first } })
  assert.deepEqual(method.decode([]), { ok: false, error: 'INVALID_BLOCK_COUNT_PARAMS' })
  assert.deepEqual(method.decode([1, 2]), { ok: false, error: 'INVALID_PARAMS' })
  assert.deepEqual(method.decode(['one', 2]), { ok: true, values: { count: 2, text: 'one' } })
})

test('absent and null are the same: an error if required, otherwise the default', () => {
  const required = defineMethod({ ...declaration, params: { text: Text } })
  const optional = defineMethod({
    ...declaration,
    params: { text: Text.optional(), count: Count.default(7) },
  })
  for (const params of [[], [null]]) {
    assert.deepEqual(required.decode(params), { ok: false, error: 'INVALID_PARAMS' })
    assert.deepEqual(optional.decode(params), { ok: true, values: { text: undefined, count: 7 } })
  }
})

test('a method may answer another error for the same parameter', () => {
  const method = defineMethod({
    ...declaration,
    params: {
      text: Text.failingWith('INVALID_ENODE_PARAMS'),
      count: Count.default(7).failingWith('INVALID_NONCE_PARAMS'),
    },
  })
  assert.deepEqual(method.decode([1]), { ok: false, error: 'INVALID_ENODE_PARAMS' })
  assert.deepEqual(method.decode(['a']), { ok: true, values: { text: 'a', count: 7 } })
  assert.deepEqual(method.decode(['a', 'b']), { ok: false, error: 'INVALID_NONCE_PARAMS' })
})

test('an exact count is compared first, and a list that begins with null counts as empty', () => {
  const method = defineMethod({ ...declaration, params: { text: Text }, count: 'exact' })
  for (const params of [[], [null], ['a', 'b'], [null, 'b']]) {
    assert.deepEqual(method.decode(params), { ok: false, error: 'INVALID_PARAM_COUNT' })
  }
  assert.deepEqual(method.decode(['a']), { ok: true, values: { text: 'a' } })
})

test('a method without parameters ignores what it is sent', () => {
  const method = defineMethod({ ...declaration, params: {} })
  assert.deepEqual(method.decode([1, 2, 3]), { ok: true, values: {} })
})

test('a name that is not a wire name is refused', () => {
  for (const name of ['version', 'Net_version', 'net_', '_version', 'net version']) {
    assert.throws(() => defineMethod({ ...declaration, params: {}, name }), /method name/)
  }
})

test('only resources that an engine thread lacks are resolved before', () => {
  const common = { ...declaration, params: {} }
  assert.throws(() => defineMethod({ ...common, needs: ['engine', 'filters'] }), /has resolve exactly if/)
  assert.throws(() => defineMethod({ ...common, needs: ['filters'], resolve: () => 1 }), /has resolve/)
  defineMethod({ ...common, needs: ['engine', 'filters'], resolve: () => 1 })
})

test('the API is the part before the first underscore or dot', () => {
  assert.equal(apiOf('net_version'), 'NET')
  assert.equal(apiOf('web3_clientVersion'), 'WEB3')
  assert.equal(apiOf('rpc.discover'), 'RPC')
})

test('data has 0x and whole bytes, within its limit', () => {
  const { schema } = dataParam({ maxBytes: 2 })
  assert.deepEqual(schema.parse('0xAb'), Uint8Array.of(0xab))
  assert.deepEqual(schema.parse('0x'), new Uint8Array(0))
  for (const wrong of ['', 'ab', '0xabc', '0xzz', '0xabcdef', 5, {}]) {
    assert.equal(schema.safeParse(wrong).success, false, String(wrong))
  }
  assert.deepEqual(dataParam({ maxBytes: 2, mayBeBlank: true }).schema.parse(''), new Uint8Array(0))
})

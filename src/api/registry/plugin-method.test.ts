import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pluginMethod } from './plugin-method.ts'

const { decode } = pluginMethod({
  name: 'greeter_hello',
  deadlineMs: 1_000,
  summary: 'Returns a greeting.',
  params: [
    ['name', 'text'],
    ['account', 'address?'],
  ],
})

const reasonOf = (...params: unknown[]) => {
  const decoding = decode(params)
  return decoding.ok ? undefined : decoding.reason
}

test('the error for a parameter of a plugin method names the parameter and what it must be', () => {
  assert.equal(reasonOf(), 'parameter name is missing; it must be a text')
  assert.equal(reasonOf(null), 'parameter name is missing; it must be a text')
  assert.equal(reasonOf(7), 'parameter name is wrong; it must be a text')
  const address = 'parameter account is wrong; it must be an address: 0x and 40 hex digits'
  assert.equal(reasonOf('anna', '0x12'), address)
  assert.equal(reasonOf('anna', {}), address)
  assert.equal(reasonOf('anna'), undefined)
  assert.equal(reasonOf('anna', `0x${'11'.repeat(20)}`), undefined)
})

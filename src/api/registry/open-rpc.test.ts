import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { METHODS } from '#api/methods.generated.ts'
import { LogLevel } from '#api/schema/values.ts'
import { NamedTypes } from '#jsonrpc/registry/named-types.ts'
import { describeMethods } from '#jsonrpc/registry/open-rpc.ts'
import { METHOD_EXAMPLES } from './method-examples.generated.ts'

test('a method is described under each of its names, in wire form', () => {
  const method = defineMethod({
    name: 'test_method',
    aliases: ['test_other'],
    summary: 'A method for tests.',
    needs: [],
    params: { level: LogLevel.optional() },
    result: boolean(),
    run: () => true,
  })
  const { methods, components } = describeMethods([method], {})
  assert.deepEqual(
    methods.map(({ name }) => name),
    ['test_method', 'test_other'],
  )
  const [{ params, result } = assert.fail()] = methods
  assert.deepEqual(params, [
    {
      name: 'level',
      required: false,
      schema: { $ref: '#/components/schemas/LogLevel' },
    },
  ])
  assert.deepEqual(components.schemas.LogLevel, {
    type: 'string',
    enum: ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'],
    title: 'log level',
  })
  assert.deepEqual(result, { name: 'result', schema: { type: 'boolean' } })
})

test('every type is described once, every reference leads to one, and most methods have an example', () => {
  const document = describeMethods(METHODS, METHOD_EXAMPLES)
  const names = Object.keys(document.components.schemas)
  const referred = new Set(
    [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!),
  )
  assert.deepEqual([...referred].sort(), [...names].sort())
  assert.ok(names.includes('Block') && names.includes('Transaction'))
  assert.equal(JSON.stringify(document).match(/"title":"transaction"/g)?.length, 1)
  const withExample = document.methods.filter(({ examples }) => examples !== undefined)
  assert.ok(withExample.length > (document.methods.length * 3) / 4, `${withExample.length}`)
})

test('two types of one title are a mistake', () => {
  const tag = { type: 'string', title: 'block tag' }
  const own = { ...tag, description: 'of the last block' }
  const reference = { $ref: '#/components/schemas/BlockTag' }
  const types = new NamedTypes([own, tag, tag])
  assert.deepEqual(types.all(), { BlockTag: tag })
  assert.deepEqual(types.refer({ type: 'array', items: tag }), { type: 'array', items: reference })
  assert.deepEqual(types.refer(own), { ...reference, description: 'of the last block' })
  assert.throws(() => new NamedTypes([tag, { ...tag, type: 'number' }]), /'block tag'/)
})

test('every method can be described as plain JSON', () => {
  const document = describeMethods(METHODS, METHOD_EXAMPLES)
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
})

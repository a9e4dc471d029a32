import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean } from 'zod'
import { defineMethod } from './define-method.ts'
import { METHODS } from './methods.generated.ts'
import { describeMethods } from './open-rpc.ts'
import { LogLevel } from './schema/log-level.ts'

test('a method is described under each of its names, by what stands on the wire', () => {
  const method = defineMethod({
    name: 'test_method',
    aliases: ['test_other'],
    summary: 'A method for tests.',
    needs: [],
    params: { level: LogLevel.optional() },
    result: boolean(),
    run: () => true,
  })
  const { methods } = describeMethods([method])
  assert.deepEqual(
    methods.map(({ name }) => name),
    ['test_method', 'test_other'],
  )
  const [{ params, result } = assert.fail()] = methods
  assert.deepEqual(params, [
    {
      name: 'level',
      required: false,
      schema: {
        type: 'string',
        enum: ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'],
        title: 'log level',
      },
    },
  ])
  assert.deepEqual(result, { name: 'result', schema: { type: 'boolean' } })
})

test('every method can be described as plain JSON', () => {
  const document = describeMethods(METHODS)
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenRpcDocument, resultProblem } from './json-schema.ts'

const document = (schema: object): OpenRpcDocument => ({
  methods: [{ name: 'm', result: { schema: schema as never } }],
  components: { schemas: { digit: { type: 'string', pattern: '^0x[0-9]$' } } },
})
const problem = (schema: object, value: unknown) => resultProblem(document(schema), 'm', value)

test('what a schema allows has no problem', () => {
  const schema = {
    title: 'a block',
    type: 'object',
    required: ['hash'],
    additionalProperties: false,
    properties: {
      hash: { $ref: '#/components/schemas/digit' },
      list: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 5 } },
      kind: { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }, { type: 'null' }] },
      rest: { allOf: [{ type: 'boolean' }, { not: { const: true } }] },
    },
  }
  assert.equal(problem(schema, { hash: '0x1', list: [0, 5], kind: null, rest: false }), undefined)
  assert.equal(resultProblem(document(schema), 'another', 1), undefined)
})

test('what it does not allow is named with its place', () => {
  assert.equal(problem({ type: 'string' }, 1), 'result is no string')
  assert.equal(problem({ $ref: '#/components/schemas/digit' }, '0xa'), 'result is not like ^0x[0-9]$')
  assert.equal(problem({ required: ['a'] }, {}), 'result.a is missing')
  assert.equal(problem({ additionalProperties: false, properties: {} }, { b: 1 }), 'result has b besides')
  assert.equal(problem({ items: { maximum: 1 } }, [1, 2]), 'result[1] is above 1')
  assert.match(problem({ anyOf: [{ type: 'null' }, { const: 2 }] }, 3)!, /none of its kinds/)
  assert.equal(problem({ not: { const: 1 } }, 1), 'result is what it must not be')
})

test('a word that nobody checks is a problem and not a silence', () => {
  assert.equal(problem({ uniqueItems: true }, []), 'the word uniqueItems is not known')
})

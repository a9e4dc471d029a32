import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { createCors } from './cors.ts'

test('origins are regular expressions that match the complete header', () => {
  const cors = createCors(['http://good.example', 'https://.*\\.wild\\.example'])
  assert.equal(cors.allows('http://good.example'), true)
  assert.equal(cors.allows('https://a.wild.example'), true)
  assert.equal(cors.allows('http://good.example:81'), false)
  assert.equal(cors.allows('xhttp://good.example'), false)
})

test('an asterisk and "all" allow every origin, "none" and an empty list allow none', () => {
  for (const all of ['*', 'all']) assert.equal(createCors([all]).allows('null'), true)
  for (const none of [[], ['none'], ['']]) assert.equal(createCors(none).allows('http://x'), false)
})

test('an invalid regular expression is refused by name', () => {
  assert.throws(
    () => createCors(['http://good.example', '(']),
    (error) => error instanceof Fault && error.kind === 'CORS_ORIGIN_INVALID' && error.data.pattern === '(',
  )
})

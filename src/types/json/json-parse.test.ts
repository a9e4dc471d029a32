import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { DEFAULT_JSON_LIMITS, type JsonLimits, parseJson } from './json-parse.ts'
import { JsonNumber, JsonObject, type JsonValue } from './json-value.ts'

function parseObject(text: string): JsonObject {
  const value = parseJson(text)
  assert.ok(value instanceof JsonObject)
  return value
}

function faultOf(text: string, limits?: Partial<JsonLimits>): Fault {
  try {
    parseJson(text, { ...DEFAULT_JSON_LIMITS, ...limits })
  } catch (error) {
    assert.ok(error instanceof Fault)
    assert.equal(error.kind, 'INVALID_JSON')
    return error
  }
  return assert.fail(`accepted ${text}`)
}

/** The same value as JavaScript's own types, to compare with JSON.parse. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof JsonObject) {
    return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
  }
  return value
}

test('big integers keep every digit', () => {
  const object = parseObject('{"terminalTotalDifficulty": 58750000000000000000000, "x": -1}')
  const difficulty = object.get('terminalTotalDifficulty')
  assert.ok(difficulty instanceof JsonNumber)
  assert.equal(difficulty.toBigInt(), 58750000000000000000000n)
})

test('a fraction or an exponent is not an integer', () => {
  assert.equal(new JsonNumber('1.0').toBigInt(), undefined)
  assert.equal(new JsonNumber('1e3').toBigInt(), undefined)
  assert.equal(new JsonNumber('-7').toBigInt(), -7n)
})

test('keys keep their order even when they look like array indices', () => {
  assert.deepEqual([...parseObject('{"b":1,"20":2,"a":3,"3":4}').keys()], ['b', '20', 'a', '3'])
})

test('a repeated key keeps its first position and its last value, and is remembered', () => {
  const object = parseObject('{"comment":"one","x":1,"comment":"two"}')
  assert.deepEqual([...object.keys()], ['comment', 'x'])
  assert.equal(object.get('comment'), 'two')
  assert.deepEqual(object.repeatedKeys, new Set(['comment']))
  assert.equal(parseObject('{"x":1}').repeatedKeys, undefined)
})

test('JSON that JSON.parse accepts is read to the same value', () => {
  const texts = [
    'null',
    ' true ',
    'false',
    '"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 é"',
    '[1,-0,0.5,1e3,2E-2,[],{}]',
    '{"a":{"b":[{"c":null}]},"__proto__x":1}\r\n\t',
    '""',
  ]
  for (const text of texts) assert.deepEqual(plain(parseJson(text)), JSON.parse(text), text)
})

test('a byte order mark before the text is skipped', () => {
  assert.equal(parseJson('\ufeffnull'), null)
})

test('JSON that JSON.parse refuses is refused', () => {
  const texts = ['', '{', '[1,]', '{"a":1,}', "{'a':1}", '{a:1}', '01', '-', '+1', '.5', '1.', '1e', 'NaN']
  texts.push(
    '{"a" 1}',
    '"\n"',
    '"\\x"',
    '"\\u12g4"',
    '"abc',
    'nul',
    '{} {}',
    '[1 2]',
    '{"a":1 "b":2}',
    '// x',
  )
  for (const text of texts) {
    assert.throws(() => JSON.parse(text), text)
    faultOf(text)
  }
})

test('a mistake is reported with its line, its column and a sentence', () => {
  const fault = faultOf('{\n  "a": 1,\n  "b" 2\n}')
  assert.equal(fault.data.line, 3)
  assert.equal(fault.data.column, 7)
  assert.equal(
    fault.data.sentence,
    'The JSON is not valid at line 3, column 7: a colon was expected but "2" stands here.',
  )
})

test('an open string is reported where it begins', () => {
  const fault = faultOf('{"a": "never closed')
  assert.equal(fault.data.column, 7)
})

test('depth, size, number of values and length of a number are limited', () => {
  const { maxDepth } = DEFAULT_JSON_LIMITS
  parseJson('['.repeat(maxDepth) + ']'.repeat(maxDepth))
  assert.match(faultOf('['.repeat(maxDepth + 1)).message, /nested more than/)
  assert.match(faultOf('['.repeat(1_000_000)).message, /nested more than/)
  assert.match(faultOf('[1,2,3]', { maxItems: 3 }).message, /more than 3 values/)
  assert.match(faultOf('[1,2,3]', { maxLength: 6 }).message, /longer than 6/)
  assert.match(faultOf('12345', { maxNumberLength: 4 }).message, /more than 4 characters/)
})

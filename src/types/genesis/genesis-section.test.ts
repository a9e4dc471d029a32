import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { GenesisProblems } from './genesis-problems.ts'
import { GenesisSection } from './genesis-section.ts'

function sectionOf(text: string): GenesisSection {
  const object = parseJson(text)
  assert.ok(object instanceof JsonObject)
  return new GenesisSection('$', object, new GenesisProblems())
}

test('keys are found in any letter case, the last spelling counts, and paths keep the spelling', () => {
  const section = sectionOf('{"chainID": 1, "ChainId": 2}')
  assert.equal(section.decimal('chainId'), 2n)
  assert.equal(section.pathOf('chainid'), '$.ChainId')
  assert.equal(section.pathOf('missing'), '$.missing')
})

test('null counts as absent, although the key exists', () => {
  const section = sectionOf('{"a": null}')
  assert.equal(section.value('a'), undefined)
  assert.equal(section.long('a'), undefined)
  assert.ok(section.has('a'))
  assert.deepEqual(section.problems.findings, [])
})

test('a value of the wrong form is reported with the expected form and the value', () => {
  const section = sectionOf(
    '{"number": "5", "flag": "true", "object": [], "list": {}, "address": "0x12345g"}',
  )
  assert.equal(section.long('number'), undefined)
  assert.equal(section.boolean('flag'), undefined)
  assert.equal(section.section('object'), undefined)
  assert.equal(section.list('list'), undefined)
  assert.equal(section.address('address'), undefined)
  assert.deepEqual(
    section.problems.findings.map(({ path, sentence }) => [path, sentence]),
    [
      [
        '$.number',
        'number must be a whole number from 0 to 9223372036854775807, written without quotes, and not the string "5".',
      ],
      ['$.flag', 'flag must be true or false without quotes, and not the string "true".'],
      ['$.object', 'object must be an object in braces, and not a list.'],
      ['$.list', 'list must be a list in brackets, and not an object.'],
      ['$.address', 'address must be an address of 20 bytes in hex, and not the string "0x12345g".'],
    ],
  )
})

test('numbers outside their range and fractions are refused', () => {
  const section = sectionOf('{"a": 2147483648, "b": -1, "c": 1.5, "d": 2147483647}')
  assert.deepEqual(
    [section.int('a'), section.int('b'), section.int('c'), section.int('d')],
    [undefined, undefined, undefined, 2147483647],
  )
  assert.equal(section.problems.findings.length, 3)
})

test('short addresses and hashes are padded on the left', () => {
  const section = sectionOf('{"address": "8888", "hash": "0x1", "empty": ""}')
  assert.equal(section.address('address'), '0x0000000000000000000000000000000000008888')
  assert.equal(section.hash('hash'), `0x${'1'.padStart(64, '0')}`)
  assert.equal(section.address('empty'), undefined)
  assert.equal(section.problems.findings.length, 1)
})

test('every bad item of a list is refused at its own path', () => {
  const section = sectionOf('{"nodes": ["a", 1, "b", null]}')
  assert.deepEqual(
    section.strings('nodes', 'a name', (text) => text),
    ['a', 'b'],
  )
  assert.deepEqual(
    section.problems.findings.map(({ path }) => path),
    ['$.nodes[1]', '$.nodes[3]'],
  )
})

test('a long value is cut in the sentence', () => {
  const section = sectionOf(JSON.stringify({ a: 'x'.repeat(100_000) }))
  section.long('a')
  assert.ok((section.problems.findings[0]?.sentence.length ?? 0) < 200)
})

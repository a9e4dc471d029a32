import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson } from './json-format.ts'
import { parseJson } from './json-parse.ts'
import { JsonNumber, JsonObject } from './json-value.ts'

/** The format recorded from Besu (operator generate-blockchain-config), shortened. */
const RECORDED = `{
  "config" : {
    "chainId" : 1337,
    "qbft" : {
      "blockperiodseconds" : 1
    }
  },
  "nonce" : "0x0",
  "alloc" : {
    "627306090abaB3A6e1400e9345bC60c78a8BEf57" : {
      "balance" : "90000000000000000000000"
    }
  },
  "extraData" : "0xf83a"
}`

test("a file in Besu's format is written back byte for byte", () => {
  assert.equal(formatJson(parseJson(RECORDED)), RECORDED)
})

test('lists are on one line and empty containers contain one space', () => {
  const text = '{"a":["x","y"],"b":[],"c":{},"d":[{"e":1},{"f":[2]}]}'
  const expected = `{
  "a" : [ "x", "y" ],
  "b" : [ ],
  "c" : { },
  "d" : [ {
    "e" : 1
  }, {
    "f" : [ 2 ]
  } ]
}`
  assert.equal(formatJson(parseJson(text)), expected)
})

test('number text and key order survive', () => {
  const object = new JsonObject([
    ['zz', new JsonNumber('58750000000000000000000')],
    ['10', JsonNumber.of(7n)],
    ['9', JsonNumber.of(1)],
  ])
  assert.equal(formatJson(object), '{\n  "zz" : 58750000000000000000000,\n  "10" : 7,\n  "9" : 1\n}')
})

test('strings are escaped as in Besu', () => {
  assert.equal(formatJson('a"\\\n\t\u001bé'), '"a\\"\\\\\\n\\t\\u001Bé"')
  for (const text of ['\u0000', 'x/y', '\u2028', '😀']) assert.equal(parseJson(formatJson(text)), text)
})

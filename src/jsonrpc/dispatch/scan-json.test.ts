import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonScan, MAX_DEPTH, MAX_VALUES } from './scan-json.ts'

const LIMITS = { maxDepth: 4, maxValues: 20 }

function scan(text: string, limits?: typeof LIMITS) {
  return new JsonScan(limits).feed(Buffer.from(text))
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

test('nesting is accepted up to its limit', () => {
  assert.equal(scan(nested(MAX_DEPTH)), undefined)
  assert.equal(scan(nested(MAX_DEPTH + 1)), 'TOO_DEEP')
  assert.equal(scan('{"a":'.repeat(MAX_DEPTH + 1)), 'TOO_DEEP')
})

test('values are accepted up to their limit', () => {
  const listOf = (size: number) => `[${new Array(size).fill('1').join(',')}]`
  assert.equal(scan(listOf(MAX_VALUES - 1)), undefined)
  assert.equal(scan(listOf(MAX_VALUES)), 'TOO_MANY_VALUES')
  assert.equal(scan('/**/'.repeat(MAX_VALUES)), 'TOO_MANY_VALUES')
})

test('strings and comments do not count', () => {
  for (const text of [
    `["${'['.repeat(100)}"]`,
    `["\\"${'['.repeat(100)}\\\\"]`,
    `[/* " ${'['.repeat(100)} **/"a"]`,
    `[// " ${'['.repeat(100)}\n"a"]`,
    `[// " ${'['.repeat(100)}\r"a"]`,
    `["${','.repeat(100)}"]`,
  ]) {
    assert.equal(scan(text, LIMITS), undefined, text)
  }
})

test('a comment cannot hide what follows it', () => {
  for (const prefix of ['/*"*/', '//"\n', '"/*"', '"//"', '"\\\\"', '/* "*/ "\\"" ']) {
    assert.equal(scan(prefix + nested(5), LIMITS), 'TOO_DEEP', prefix)
  }
})

test('a long string ends at its quote', () => {
  const long = 'x'.repeat(200)
  assert.equal(scan(`"${long}"${nested(5)}`, LIMITS), 'TOO_DEEP')
  assert.equal(scan(`"${long}\\"${nested(5)}"`, LIMITS), undefined)
  assert.equal(scan(`"${long}\\\\"${nested(5)}`, LIMITS), 'TOO_DEEP')
  assert.equal(scan(`"${long}\\\\\\"${nested(5)}"`, LIMITS), undefined)
})

test('a verdict is final', () => {
  const json = new JsonScan(LIMITS)
  assert.equal(json.feed(Buffer.from(nested(5))), 'TOO_DEEP')
  assert.equal(json.feed(Buffer.from('1')), 'TOO_DEEP')
})

test('how the bytes are cut makes no difference', () => {
  const piece = fc.constantFrom(
    ...['[', ']', '{', '}', ',', ':', '"', '\\', '\\"', '/', '*', '/*', '*/', '//', '\n', ' ', '1', 'é'],
    '"abc"',
    'x'.repeat(40),
  )
  const message = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join('')))
  fc.assert(
    fc.property(message, fc.array(fc.nat(200), { maxLength: 8 }), (bytes, cuts) => {
      const whole = new JsonScan(LIMITS).feed(bytes)
      const inPieces = new JsonScan(LIMITS)
      const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
      let verdict: ReturnType<JsonScan['feed']>
      let start = 0
      for (const end of ends) {
        verdict = inPieces.feed(bytes.subarray(start, end))
        start = end
      }
      assert.equal(verdict, whole)
    }),
  )
})

test('valid JSON is judged by its real depth', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      const isTooDeep = depthOf(JSON.parse(text)) > LIMITS.maxDepth
      assert.equal(scan(text, { ...LIMITS, maxValues: 10_000 }), isTooDeep ? 'TOO_DEEP' : undefined)
    }),
  )
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

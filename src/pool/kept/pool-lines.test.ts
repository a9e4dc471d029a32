import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { keccak256 } from '#types/keccak.ts'
import { FIRST_LINE, formatLine, isPoolFile, type KeptTransaction, parseLines } from './pool-lines.ts'

const KEPT: readonly KeptTransaction[] = [
  { origin: 'local', bytes: new Uint8Array(110).fill(7) },
  { origin: 'remote', bytes: Uint8Array.of(1) },
  { origin: 'local', bytes: new Uint8Array(1_000).fill(9) },
]
const LINES = KEPT.map((one) => formatLine(one, keccak256))
const parse = (text: string) => [...parseLines(Buffer.from(text), keccak256)]

test('parsing returns the written transactions in order', () => {
  const text = FIRST_LINE + LINES.join('')
  strictEqual(isPoolFile(Buffer.from(text)), true)
  deepStrictEqual(parse(text), KEPT)
})

test('damage at any place loses only the transaction of that line', () => {
  const [first, , third] = KEPT
  const line = LINES[1]!
  for (let at = 0; at < line.length - 1; at++) {
    const damaged = `${line.slice(0, at)}~${line.slice(at + 1)}`
    deepStrictEqual(parse(FIRST_LINE + LINES[0] + damaged + LINES[2]), [first, undefined, third])
  }
  const zeros = '\0'.repeat(512)
  deepStrictEqual(parse(`${FIRST_LINE}${LINES[0]}${zeros}\n${LINES[2]}`), [first, undefined, third])
})

test('the checksum detects a flipped bit', () => {
  const other = LINES[0]!.replace('BwcHBwcHBwcH', 'BwcHBwcHBwcI')
  deepStrictEqual(parse(FIRST_LINE + other), [undefined])
})

test('a truncated last line is damaged or complete', () => {
  const whole = LINES[0]!
  const padding = /=*\n$/.exec(whole)![0].length
  for (let length = 1; length < whole.length - padding; length++) {
    deepStrictEqual(parse(FIRST_LINE + whole.slice(0, length)), [undefined])
  }
  deepStrictEqual(parse(FIRST_LINE + whole.slice(0, -1)), [KEPT[0]])
})

test('a file of another kind is recognised', () => {
  strictEqual(isPoolFile(Buffer.from('root:x:0:0\n')), false)
  strictEqual(isPoolFile(Buffer.from('cairn-pool 2\n')), false)
  strictEqual(isPoolFile(new Uint8Array(0)), true)
})

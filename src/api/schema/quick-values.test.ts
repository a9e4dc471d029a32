import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Param } from '#jsonrpc/method.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { CallObject } from './call-object.ts'
import { Address, Block, BlockHash, BlockNumber, TransactionHash } from './values.ts'

const ROUNDS = 20_000
const ADDRESS = `0x${'1f'.repeat(20)}`
const HASH = `0x${'a7'.repeat(32)}`

/** Right, almost right and wrong values of every parameter here. */
const WIRES: readonly unknown[] = [
  ADDRESS,
  ADDRESS.toUpperCase(),
  ADDRESS.slice(2),
  ADDRESS.replace('1f', '1F'),
  `${ADDRESS}00`,
  ADDRESS.slice(0, -1),
  // The low byte of U+0130 is the digit 0.
  ADDRESS.replace('1f', '\u01300'),
  ADDRESS.replace('1f', '\ud800'),
  ADDRESS.replace('0x', '0X'),
  HASH,
  HASH.toUpperCase(),
  HASH.slice(2),
  'latest',
  'LATEST',
  'pending',
  'finalized',
  'safe',
  'earliest',
  'toString',
  '__proto__',
  '0x',
  '0x0',
  '0x00',
  '0x1',
  '0xF',
  '0xfffffffffffffff',
  '0xffffffffffffffff',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  '0x-1',
  '0x 1',
  '0x1n',
  '0x1_0',
  '0b1',
  '1',
  '',
  ' ',
  1,
  1.5,
  -1,
  2 ** 53,
  true,
  null,
  undefined,
  [],
  {},
]

const MEMBERS = [
  ...['from', 'to', 'data', 'input', 'value', 'gas', 'gasPrice', 'nonce', 'strict'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas', 'chainId', 'type', 'accessList'],
  ...['unknown', '__proto__', 'constructor'],
]

function assertAlike({ quick, schema }: Param<unknown>, wire: unknown): boolean {
  const value = quick!(wire)
  if (value === undefined) return false
  const decoded = schema.safeParse(wire)
  assert.ok(decoded.success, `The schema refuses ${JSON.stringify(wire)}.`)
  assert.deepStrictEqual({ ...(Object(value) as object) }, { ...(Object(decoded.data) as object) })
  return true
}

test('addresses, hashes and tags that are read by hand are read alike by their schemas', () => {
  for (const param of [Address, BlockHash, TransactionHash, Block, BlockNumber] as Param<unknown>[]) {
    const read = WIRES.filter((wire) => assertAlike(param, wire))
    assert.ok(read.length > 0)
  }
})

test('calls that are read by hand are read alike by their schema', () => {
  const random = createSeededRandom(5)
  const pick = <Item>(items: readonly Item[]): Item => items[random.randomBelow(items.length)]!
  let read = 0
  for (let round = 0; round < ROUNDS; round++) {
    const members = Array.from({ length: random.randomBelow(5) }, () => {
      const usual = random.randomBelow(3) > 0
      const name = pick(usual ? MEMBERS.slice(0, 7) : MEMBERS)
      const right = name === 'from' || name === 'to' ? ADDRESS : '0x12'
      return `${JSON.stringify(name)}:${JSON.stringify((usual ? right : pick(WIRES)) ?? null)}`
    })
    // Through text, as requests come: names may occur twice.
    if (assertAlike(CallObject as Param<unknown>, JSON.parse(`{${members.join(',')}}`))) read += 1
  }
  assert.ok(read > ROUNDS / 10, `Only ${read} calls were read by hand.`)
  for (const wire of WIRES) assertAlike(CallObject as Param<unknown>, wire)
})

test('the usual calls are read by hand', () => {
  const usual = [
    { to: ADDRESS, data: '0x70a08231' },
    { to: ADDRESS, input: '0x70a08231' },
    { from: ADDRESS, to: ADDRESS, data: '0x', value: '0x0', gas: '0x5208', gasPrice: '0x3b9aca00' },
    {
      ...{ type: '0x2', from: ADDRESS, nonce: '0x0', to: null, gas: '0x5208', value: '0x0', input: '0x60' },
      ...{ gasPrice: undefined, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0', chainId: '0x539' },
      ...{ accessList: [], authorizationList: undefined },
    },
  ]
  for (const wire of usual) assert.ok(assertAlike(CallObject as Param<unknown>, wire))
  assert.equal(CallObject.quick!({ to: ADDRESS, data: '0x01', input: '0x02' }), undefined)
})

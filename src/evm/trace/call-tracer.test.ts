import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACT, SENDER } from '#evm/engine.fixture.ts'
import { addressToBytes } from '#types/address.ts'
import { collectedLogs } from './call-tracer.ts'

const NOTHING = new Uint8Array(0)
const ENTERED = {
  type: 'call',
  depth: 0,
  isPrecompile: false,
  from: SENDER,
  to: CONTRACT,
  value: 0n,
  gas: 100n,
  input: NOTHING,
} as const

/** `(` enters a frame, `l` logs, `)` and `x` end it well or badly, `s` is a selfdestruct. */
function collect(happenings: string): Record<number, { index: string; position: string }[]> {
  const { shape, logs } = collectedLogs()
  const { visitor } = shape
  for (const happening of happenings) {
    if (happening === '(') visitor.enter!(ENTERED)
    else if (happening === 'l') visitor.log!(addressToBytes(CONTRACT), [], NOTHING)
    else if (happening === 's') visitor.selfdestruct!(CONTRACT, SENDER, 0n)
    else visitor.exit!({ error: happening === 'x' ? 'outOfGas' : 'none', gasUsed: 0n, output: NOTHING })
  }
  const placeOf = (text: string) => {
    const { index, position } = JSON.parse(text)
    return { index, position }
  }
  return Object.fromEntries([...logs].map(([frame, texts]) => [frame, texts.map(placeOf)]))
}

test('logs belong to the frame that emitted them, with their position among its calls', () => {
  assert.deepEqual(collect('(l(l)sl)'), {
    0: [
      { index: '0x0', position: '0x0' },
      { index: '0x2', position: '0x2' },
    ],
    1: [{ index: '0x1', position: '0x0' }],
  })
})

test('a failed frame drops its logs and those of its callees, and no others', () => {
  assert.deepEqual(Object.keys(collect('(l(l)(l(l)lx(l)l)')), ['0', '1', '4'])
  assert.deepEqual(collect('(l(l)x'), {})
})

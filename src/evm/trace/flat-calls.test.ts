import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallFrame } from '#evm/call-tree.ts'
import { CONTRACT, OTHER, SENDER } from '#evm/engine.fixture.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { flatCalls } from './flat-calls.ts'
import { creationMethodOf, flatText } from './flat-text.ts'

const IDENTITY = parseAddress(`${'0'.repeat(39)}4`)
const OPTIONS = { isPrecompile: (address: Address) => address === IDENTITY, leastGasUsed: 0n }
const NOTHING = new Uint8Array(0)

function frame(depth: number, fields: Partial<CallFrame> = {}): CallFrame {
  const parties = { from: SENDER, to: CONTRACT, value: 0n, gas: 100n, gasUsed: 10n }
  return {
    type: 'call',
    error: 'none',
    depth,
    subtraces: 0,
    ...parties,
    input: NOTHING,
    output: NOTHING,
    ...fields,
  }
}

test('every call has its position, after its callers', () => {
  const frames = [frame(0), frame(1), frame(2), frame(2), frame(1), frame(2)]
  const calls = flatCalls(frames, OPTIONS)
  assert.deepEqual(
    calls.map(({ traceAddress, subtraces }) => [traceAddress.join(), subtraces]),
    [
      ['', 2],
      ['0', 2],
      ['0,0', 0],
      ['0,1', 0],
      ['1', 1],
      ['1,0', 0],
    ],
  )
})

test('precompiles and calls that never began are neither listed nor counted', () => {
  const frames = [
    frame(0),
    frame(1, { to: IDENTITY }),
    frame(1, { error: 'insufficientBalance' }),
    frame(1, { error: 'callTooDeep' }),
    frame(1, { type: 'selfdestruct', to: OTHER, value: 7n }),
  ]
  const calls = flatCalls(frames, OPTIONS)
  assert.deepEqual(
    calls.map(({ frame: { type }, subtraces }) => [type, subtraces]),
    [
      ['call', 1],
      ['selfdestruct', 0],
    ],
  )
  assert.equal(
    flatText(calls[1]!),
    `{"action":{"address":"${SENDER}","balance":"0x7","refundAddress":"${OTHER}"},"result":null,"subtraces":0,"traceAddress":[0],"type":"suicide"}`,
  )
})

test('a transaction to a precompile is listed without its output', () => {
  const [call] = flatCalls([frame(0, { to: IDENTITY, output: Uint8Array.of(1) })], OPTIONS)
  assert.match(flatText(call!), /"result":\{"gasUsed":"0xa","output":"0x"\}/)
})

test('a transaction that runs no code counts the price of its data', () => {
  const [call] = flatCalls([frame(0, { gasUsed: 0n })], { ...OPTIONS, leastGasUsed: 90n })
  assert.equal(call!.frame.gasUsed, 90n)
})

test('the revert reason is given at the outermost call only', () => {
  const reverted = { error: 'reverted', output: Uint8Array.of(0xaa) } as const
  const texts = flatCalls([frame(0, reverted), frame(1, reverted)], OPTIONS).map((call) => flatText(call))
  assert.match(texts[0]!, /"error":"Reverted","revertReason":"0xaa"/)
  assert.match(texts[1]!, /"error":"Reverted","subtraces"/)
})

test('the creation method is create2 if the transaction has any', () => {
  const calls = flatCalls([frame(0, { type: 'create' }), frame(1, { type: 'create2' })], OPTIONS)
  assert.equal(creationMethodOf(calls), 'create2')
  assert.match(flatText(calls[0]!, 'create2'), /"action":\{"creationMethod":"create2",/)
  assert.doesNotMatch(flatText(calls[0]!), /creationMethod/)
})

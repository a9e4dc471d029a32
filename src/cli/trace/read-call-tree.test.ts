import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#types/fault.ts'
import { readFlatTraces, readReceiptEvents, readTracerResult } from './read-call-tree.ts'

const [FROM, TO] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]

test('flat traces become a tree by their addresses', () => {
  const entry = (traceAddress: readonly number[], more: object = {}) => ({
    action: { callType: 'call', from: FROM, to: TO, input: '0x', value: '0x1' },
    result: { gasUsed: '0x5', output: '0x' },
    traceAddress,
    type: 'call',
    ...more,
  })
  const action = { address: FROM, refundAddress: TO, balance: '0x7' }
  const root = readFlatTraces([
    entry([]),
    entry([0]),
    entry([0, 0], { type: 'suicide', action, result: null }),
    entry([1], { error: 'Reverted', result: undefined, revertReason: '0x1234' }),
  ])!
  deepEqual(
    root.calls.map(({ error, output, calls }) => [
      error,
      output.length,
      calls.map(({ kind, value }) => [kind, value]),
    ]),
    [
      [undefined, 0, [['selfdestruct', 7n]]],
      ['Reverted', 2, []],
    ],
  )
})

test('results of other tracers and nodes without traces give no tree', () => {
  for (const result of [null, undefined, [], {}, 'x', { structLogs: [], gas: 1 }, { type: 1, from: FROM }]) {
    equal(readTracerResult(result), undefined)
  }
  equal(readFlatTraces(null), undefined)
  equal(readFlatTraces([]), undefined)
})

test('a tree deeper than the EVM allows is refused', () => {
  let frame: object = { type: 'CALL', from: FROM, to: TO }
  for (let depth = 0; depth < 5_000; depth++) frame = { type: 'CALL', from: FROM, to: TO, calls: [frame] }
  throws(() => readTracerResult(frame), /more than 1025 calls inside each other/)
  const deep = [
    {
      traceAddress: new Array(5_000).fill(0),
      type: 'call',
      action: { callType: 'call', from: FROM, to: TO },
    },
  ]
  throws(() => readFlatTraces(deep), /more than 1025 calls inside each other/)
})

test('an answer of any shape is read or refused with a sentence', () => {
  const member = fc.oneof(
    fc.constantFrom(
      'CALL',
      'call',
      'create',
      'suicide',
      FROM,
      TO,
      '0x',
      '0x1',
      '0x123',
      -1,
      {},
      { toString: 1, valueOf: 1 },
    ),
    fc.string({ maxLength: 5 }),
    fc.integer(),
  )
  const names = [
    'type',
    'from',
    'to',
    'value',
    'gasUsed',
    'input',
    'output',
    'error',
    'topics',
    'address',
    'callType',
    'init',
    'position',
  ]
  const { object } = fc.letrec<{ object: object }>((tie) => ({
    object: fc.dictionary(
      fc.constantFrom(...names, 'calls', 'logs', 'action', 'result', 'traceAddress'),
      fc.oneof({ maxDepth: 2 }, member, fc.array(tie('object'), { maxLength: 2 }), tie('object')),
      { maxKeys: 8 },
    ),
  }))
  fc.assert(
    fc.property(object, fc.constantFrom('CALL', 'create', 'suicide'), (given, type) => {
      for (const read of [readTracerResult, (value: unknown) => readFlatTraces([value]), readReceiptEvents]) {
        try {
          read({ from: FROM, type, ...given })
        } catch (error) {
          if (!(error instanceof Fault)) throw error
        }
      }
    }),
    { numRuns: 300 },
  )
})

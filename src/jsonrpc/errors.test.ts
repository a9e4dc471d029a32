import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataPending, whenFetched } from '#platform/data-pending.ts'
import { platformFault } from '#platform/faults.ts'
import { assert as assertHolds } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { rpcError, rpcFault, translateError } from './errors.ts'

function translate(thrown: unknown) {
  const internal: unknown[] = []
  const error = translateError(thrown, {}, (bug) => internal.push(bug))
  return { error, internal }
}

test("the table has Besu's codes and messages", () => {
  assert.deepEqual(rpcError('INVALID_PARAM_COUNT'), {
    kind: 'INVALID_PARAM_COUNT',
    code: -32602,
    message: 'Invalid number of params',
  })
  assert.deepEqual(rpcError('REVERT_ERROR'), { kind: 'REVERT_ERROR', code: 3, message: 'Execution reverted' })
})

test('a fault of this room becomes its row of the table', () => {
  const { error, internal } = translate(rpcFault('NONCE_TOO_LOW'))
  assert.deepEqual(error, { kind: 'NONCE_TOO_LOW', code: -32001, message: 'Nonce too low' })
  assert.deepEqual(internal, [])
})

test('the reason is in parentheses, and data is in data', () => {
  const { error } = translate(rpcFault('REVERT_ERROR', { reason: 'no funds', data: '0x08c379a0' }))
  assert.deepEqual(error, {
    kind: 'REVERT_ERROR',
    code: 3,
    message: 'Execution reverted (no funds)',
    data: '0x08c379a0',
  })
})

test('a specific message replaces the message of the table', () => {
  const { error } = translate(rpcFault('SIMULATION_TOO_MANY_BLOCKS', { message: 'Far too many.' }))
  assert.deepEqual(error, { kind: 'SIMULATION_TOO_MANY_BLOCKS', code: -38026, message: 'Far too many.' })
})

test('a fault of another room under a name of the table is that error', () => {
  const { error } = translate(new Fault('UNKNOWN_BLOCK', { sentence: 'There is no block 7.', number: 7 }))
  assert.deepEqual(error, { kind: 'UNKNOWN_BLOCK', code: -39001, message: 'Unknown block' })
})

test('a damaged history segment is named to the client without its path, and logged', () => {
  const sentence = 'The history segment /var/lib/cairn/000000008192.segment is damaged.'
  const damaged = new Fault('SEGMENT_DAMAGED', {
    sentence,
    forClients: '000000008192.segment: it is cut off.',
  })
  const internal: unknown[] = []
  const faults = { SEGMENT_DAMAGED: 'HISTORY_DAMAGED' } as const
  const { code, message } = translateError(damaged, faults, (thrown) => internal.push(thrown))
  assert.equal(code, -32603)
  assert.equal(message, 'History segment damaged (000000008192.segment: it is cut off.)')
  assert.deepEqual(internal, [damaged])
})

test('a call that takes too long or is cancelled is a timeout', () => {
  const controller = new AbortController()
  controller.abort()
  for (const thrown of [
    platformFault('DEADLINE_EXCEEDED', { sentence: '' }),
    platformFault('CANCELLED', { sentence: '' }),
    controller.signal.reason,
    AbortSignal.abort(new DOMException('', 'TimeoutError')).reason,
  ]) {
    const { error, internal } = translate(thrown)
    assert.deepEqual(error, { kind: 'TIMEOUT_ERROR', code: -32603, message: 'Timeout expired' })
    assert.deepEqual(internal, [])
  }
})

test('an overfull channel is a limit and not a bug', () => {
  const { error, internal } = translate(platformFault('CHANNEL_FULL', { sentence: '' }))
  assert.equal(error.code, -32005)
  assert.deepEqual(internal, [])
})

test('a request that evicts its own archived blocks has the remedy in its error', async () => {
  const endless = () => {
    throw new DataPending({ name: '0:8', bytes: 1024 * 1024 }, Promise.resolve())
  }
  const thrown = await Promise.try(() => whenFetched(endless)).catch((error) => error)
  const { error, internal } = translate(thrown)
  assert.equal(error.code, -32005)
  assert.match(error.message, /Limit exceeded \(.*ask for fewer, or raise --history-cache-bytes\)/)
  assert.deepEqual(internal, [])
})

test('a bug, an unknown fault or any other value is an internal error, and only the log has the details', () => {
  const bug = (): unknown => {
    try {
      assertHolds(false, 'Secret detail.')
    } catch (error) {
      return error
    }
    return undefined
  }
  const unmapped = new Fault('INVALID_HEX', { sentence: 'Secret detail.' })
  for (const thrown of [bug(), unmapped, new TypeError('Secret detail.'), 'text', undefined, null]) {
    const { error, internal } = translate(thrown)
    assert.deepEqual(error, { kind: 'INTERNAL_ERROR', code: -32603, message: 'Internal error' })
    assert.deepEqual(internal, [thrown])
  }
})

test('inherited property names are not errors', () => {
  const { error } = translate(new Fault('constructor', { sentence: '' }))
  assert.equal(error.kind, 'INTERNAL_ERROR')
})

test('without data there is no member data', () => {
  assert.deepEqual(Object.keys(rpcError('PARSE_ERROR')), ['kind', 'code', 'message'])
})

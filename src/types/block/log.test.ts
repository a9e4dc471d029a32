import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { logFromRlp, logToRlp } from './log.ts'

test('a log survives its encoding', () => {
  const address = parseAddress('11'.repeat(20))
  for (const topics of [[], [parseHash('22'.repeat(32))]]) {
    const log = { address, topics, data: Uint8Array.of(1) }
    assert.deepEqual(logFromRlp(logToRlp(log)), log)
  }
})

test('a log of another shape is refused', () => {
  const address = new Uint8Array(20)
  const data = new Uint8Array(0)
  for (const item of [
    data,
    [address, []],
    [data, [], data],
    [address, data, data],
    [address, [address], data],
  ]) {
    assert.throws(() => logFromRlp(item), { name: 'Fault', kind: 'INVALID_RLP' })
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundLog } from '#chain/read/logs.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { keptLogText, logText, presentLog } from './log-text.ts'

const [ONE, TWO] = ['11', '22'].map((byte) => parseHash(byte.repeat(32))) as [
  FoundLog['transactionHash'],
  FoundLog['transactionHash'],
]

function found(topics: FoundLog['log']['topics'], data: Uint8Array): FoundLog {
  return {
    block: { number: 300n, hash: ONE, timestamp: 2n ** 40n },
    transactionHash: TWO,
    transactionIndex: 17,
    index: 0,
    log: { address: parseAddress('ab'.repeat(20)), topics, data },
  }
}

test('the text of a log equals its presented JSON, removed or not', () => {
  for (const topics of [[], [ONE], [ONE, TWO, ONE, TWO]]) {
    for (const data of [new Uint8Array(0), Uint8Array.of(0, 255, 16)]) {
      const log = found(topics, data)
      assert.equal(logText(log), JSON.stringify(presentLog(log)))
      assert.equal(logText(log, true), JSON.stringify(presentLog(log, true)))
      assert.equal(keptLogText(log), logText(log))
      assert.equal(keptLogText({ ...log }), logText(log))
    }
  }
})

test('equal logs at two positions have different texts', () => {
  const first = found([ONE], new Uint8Array(0))
  const second = { ...found([ONE], new Uint8Array(0)), index: 1 }
  keptLogText(first)
  assert.equal(keptLogText(second), logText(second))
})

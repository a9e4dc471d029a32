import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { parseDump } from './state-dump.ts'

const ADDRESS = `0x${'77'.repeat(20)}`

function dumpOf(account: object): Uint8Array {
  const accounts = {
    [ADDRESS]: { nonce: 1, balance: '0x2', code: '0x60', storage: { '0x1': '0x3' }, ...account },
  }
  return gzipSync(JSON.stringify({ accounts }))
}

test('an account of a dump becomes an edit', async () => {
  const [edit] = await parseDump(dumpOf({}))
  const slot = (digit: string): string => `0x${digit.padStart(64, '0')}`
  assert.deepEqual(edit, {
    address: ADDRESS,
    nonce: 1n,
    balance: 2n,
    code: new Uint8Array([0x60]),
    stateDiff: new Map([[slot('1'), slot('3')]]),
  })
})

test('numbers that an account cannot have are refused', async () => {
  await parseDump(dumpOf({ nonce: `0x${MAX_NONCE.toString(16)}` }))
  const tooLarge = [
    { nonce: `0x${(MAX_NONCE + 1n).toString(16)}` },
    { nonce: `0x1${'0'.repeat(16)}` },
    { balance: `0x1${'0'.repeat(64)}` },
    { storage: { '0x1': `0x1${'0'.repeat(64)}` } },
  ]
  for (const account of tooLarge) {
    await assert.rejects(parseDump(dumpOf(account)), { kind: 'INVALID_STATE_DUMP' }, JSON.stringify(account))
  }
})

test('bytes that are not gzipped JSON are refused', async () => {
  for (const bytes of [new Uint8Array(0), Buffer.from('{}'), gzipSync('{'), gzipSync('null')]) {
    await assert.rejects(parseDump(bytes), { kind: 'INVALID_STATE_DUMP' })
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { contractAddress } from './contract-address.ts'

test('the address of a created contract follows from sender and nonce', () => {
  const sender = parseAddress('6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0')
  const created = [0n, 1n, 2n].map((nonce) => contractAddress(sender, nonce))
  assert.deepEqual(created, [
    '0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d',
    '0x343c43a37d37dff08ae8c4a11544c718abb4fcf8',
    '0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91',
  ])
})

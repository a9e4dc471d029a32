import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SentTransaction } from '#plugins/plugin-protocol.ts'
import { parseAddress } from '#types/address.ts'
import { parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { offeredTransaction } from './offered-transaction.ts'

const KEY = new Uint8Array(32).fill(7)
const TO = parseAddress('11'.repeat(20))
const TRANSFER = `0xa9059cbb${'00'.repeat(64)}`

function offer(changes: { to?: null; data?: string; type?: 0 | 2 }) {
  const { type = 2, data = TRANSFER } = changes
  const common = {
    nonce: 3n,
    gasLimit: 90_000n,
    to: changes.to === null ? null : TO,
    value: 5n,
    data: parseData(data),
  }
  const unsigned: UnsignedTransaction =
    type === 0
      ? { ...common, type, chainId: 1337n, gasPrice: 1n }
      : { ...common, type, chainId: 1337n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, accessList: [] }
  const { encoded, hash } = signTransaction(unsigned, KEY)
  const sent: SentTransaction = {
    hash,
    encoded,
    sender: TO,
    to: common.to,
    type,
    nonce: 3n,
    gasLimit: 90_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    maxCostWei: 180_005n,
    origin: 'local',
  }
  return offeredTransaction(sent)
}

test('an admission rule sees value, data and the selector of a call', () => {
  for (const type of [0, 2] as const) {
    const { value, data, selector, nonce } = offer({ type })
    assert.deepEqual([value, data, selector, nonce], [5n, TRANSFER, '0xa9059cbb', 3n])
  }
})

test('a transfer, a contract creation and short data have no selector', () => {
  assert.deepEqual([offer({ data: '0x' }).selector, offer({ data: '0x' }).data], [undefined, '0x'])
  assert.equal(offer({ data: '0xa9059c' }).selector, undefined)
  assert.equal(offer({ data: '0xa9059cbb' }).selector, '0xa9059cbb')
  const created = offer({ to: null })
  assert.deepEqual([created.selector, created.data, created.to], [undefined, TRANSFER, null])
})

test('a copy of a transaction has the same members, and not its encoding', () => {
  const copy = { ...offer({}) }
  assert.deepEqual([copy.value, copy.selector, 'encoded' in copy], [5n, '0xa9059cbb', false])
})

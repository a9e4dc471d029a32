import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChainView } from '#chain/read/chain-view.ts'
import { INCLUDED_BYTES } from '#chain/write/head-change.ts'
import { createLog } from '#platform/log/log.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { TransactionLog } from './log-transactions.ts'

test('transactions are read only if a logger shows them', () => {
  const log = createLog({ level: 'WARN', destination: { write: () => undefined } })
  let reads = 0
  const read = (): undefined => {
    reads++
    return undefined
  }
  const chain = { lookup: { block: read, receipts: read } } as unknown as Pick<
    ChainView,
    'lookup' | 'stateAt'
  >
  const transactions = new TransactionLog(chain, log.child('dev'), undefined)
  const change = { added: [{ number: 1, hash: ZERO_HASH, included: new Uint8Array(INCLUDED_BYTES) }] }
  transactions.announce(change)
  assert.equal(reads, 0)
  log.setLevel('INFO', ['dev.console'])
  transactions.announce(change)
  assert.equal(reads, 2)
})

/**
 * The specification requires `from` in trace_rawTransaction results, and the files lack it: it must be the
 * transaction's signer, and is then removed before the comparison.
 */
import assert from 'node:assert/strict'
import { parseData } from '#types/hex.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

interface Call {
  readonly method?: string
  readonly params?: readonly unknown[]
}

export function withoutSender(request: unknown, actual: unknown): unknown {
  const { method, params = [] } = request as Call
  const { result } = actual as { readonly result?: { readonly from?: string } }
  if (method !== 'trace_rawTransaction' || result === undefined) return actual
  const { from, ...rest } = result
  assert.equal(from, recoverSender(decodeTransaction(parseData(String(params[0])))), 'from')
  return { ...(actual as object), result: rest }
}

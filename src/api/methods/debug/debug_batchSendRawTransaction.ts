import { array, boolean, int, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { Param } from '#jsonrpc/method.ts'
import type { IntakeVerdict } from '#pool/intake.ts'
import { unlessFault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'

const MAX_TRANSACTIONS = 10_000
const MAX_BYTES = 1024 * 1024

const RawTransactions = new Param<string[]>(
  array(string())
    .max(MAX_TRANSACTIONS)
    .meta({ description: 'bytes of signed transactions, one per parameter' }),
  'INVALID_PARAMS',
).rest()

const Sent = object({ index: int(), success: boolean(), errorMessage: string().optional() })

export default defineMethod({
  name: 'debug_batchSendRawTransaction',
  summary: 'Sends signed transactions, one per parameter, and returns the outcome of each.',
  needs: ['intake'],
  params: { transactions: RawTransactions },
  result: array(Sent),
  run: async ({ intake }, { transactions }) => {
    const sent = transactions.map(async (text, index) => {
      const bytes = unlessFault(() => parseDataLenient(text, MAX_BYTES))
      if (bytes === undefined) return { index, success: false, errorMessage: NO_HEX }
      const errorMessage = wordOf(await intake.submit(bytes), bytes)
      return {
        index,
        success: errorMessage === undefined,
        ...(errorMessage !== undefined && { errorMessage }),
      }
    })
    return await Promise.all(sent)
  },
})

const NO_HEX = 'Invalid raw transaction hex'
const NO_TRANSACTION = 'Invalid RLP in raw transaction hex'

/** Undefined if the transaction was admitted. */
function wordOf(verdict: IntakeVerdict, bytes: Uint8Array): string | undefined {
  if (verdict.ok) return undefined
  if (verdict.reason !== 'UNDECODABLE') return verdict.reason
  const first = bytes[0] ?? 0
  const beginsLikeOne = first >= 0xc0 || (first >= 1 && first <= 4)
  return beginsLikeOne ? NO_TRANSACTION : NO_HEX
}

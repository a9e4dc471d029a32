import { array, boolean, int, object, string } from 'zod'
import type { IntakeVerdict } from '#pool/intake.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
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
  summary:
    'Hands signed transactions to the pool, as many as there are parameters, and tells of each how it went.',
  needs: ['intake'],
  params: { transactions: RawTransactions },
  result: array(Sent),
  run: async ({ intake }, { transactions }) => {
    const sent = transactions.map(async (text, index) => {
      const bytes = parsed(text)
      if (bytes === undefined) return { index, success: false, errorMessage: NO_HEX }
      const errorMessage = wordOf(await intake.submit(bytes), bytes)
      return {
        index,
        success: errorMessage === undefined,
        ...(errorMessage === undefined ? {} : { errorMessage }),
      }
    })
    return await Promise.all(sent)
  },
})

/** Besu's texts. */
const NO_HEX = 'Invalid raw transaction hex'
const NO_TRANSACTION = 'Invalid RLP in raw transaction hex'

/** undefined: it was admitted. */
function wordOf(verdict: IntakeVerdict, bytes: Uint8Array): string | undefined {
  if (verdict.ok) return undefined
  if (verdict.reason !== 'UNDECODABLE') return verdict.reason
  const first = bytes[0] ?? 0
  const beginsLikeOne = first >= 0xc0 || (first >= 1 && first <= 4)
  return beginsLikeOne ? NO_TRANSACTION : NO_HEX
}

function parsed(text: string): Uint8Array | undefined {
  try {
    return parseDataLenient(text, MAX_BYTES)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

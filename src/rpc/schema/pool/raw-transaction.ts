import { boolean, number, string, union } from 'zod'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { MAX_TRANSACTION_BYTES } from '#types/transaction/transaction.ts'

/** The bytes of a signed transaction; the 0x may be missing, as in Besu. What is no hex it calls another name than no text. */
export const RawTransaction = new Param<Uint8Array | undefined>(
  union([string(), number(), boolean()])
    .meta({
      description: `the bytes of a signed transaction, at most ${MAX_TRANSACTION_BYTES}`,
      pattern: '^(0x)?([0-9a-fA-F]{2})*$',
    })
    .transform(bytesFrom),
  'INVALID_TRANSACTION_PARAMS',
)

/** What was sent, if it was hex at all. */
export function requireBytes(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw rpcFault('INVALID_PARAMS')
  return bytes
}

function bytesFrom(wire: string | number | boolean): Uint8Array | undefined {
  if (typeof wire !== 'string') return undefined
  try {
    return parseDataLenient(wire, MAX_TRANSACTION_BYTES)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

/** Up to 32 bytes as Besu reads them for the methods of MINER: hex with `0x` or not, of any length, its own words if wrong. */
import { number, string, union } from 'zod'
import { type RpcErrorKind, rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { parseData } from '#types/hex.ts'

const WORD_BYTES = 32
const MISSING = 'Missing required json rpc parameter at index 0'

const WordText = union([string(), number().transform(String)]).meta({
  title: 'word in hex',
  description: 'up to 32 bytes in hex, with 0x or not; the digits of a number are hex as well',
})

/** Not required, so that who decodes it can say what is missing. */
export function wordParam(error: RpcErrorKind): Param<string | undefined> {
  return new Param(WordText, error).optional()
}

/** `tellsMissing`: whether the error says so where there is no parameter. */
export function parseWordLenient(
  text: string | undefined,
  error: RpcErrorKind,
  { tellsMissing }: { readonly tellsMissing: boolean } = { tellsMissing: true },
): Uint8Array {
  if (text === undefined) throw rpcFault(error, tellsMissing ? { data: MISSING } : {})
  const given = text.startsWith('0x') ? text.slice(2) : text
  const digits = given.length % 2 === 0 ? given : `0${given}`
  const position = digits.search(/[^0-9a-fA-F]/)
  if (position >= 0) {
    const data = `Illegal character '${digits[position]}' found at index ${position} in hex binary representation`
    throw rpcFault(error, { data })
  }
  const length = digits.length / 2
  if (length > WORD_BYTES) {
    const data = `Hex value is too large: expected at most ${WORD_BYTES} bytes but got ${length}`
    throw rpcFault(error, { data })
  }
  return parseData(`0x${digits}`)
}

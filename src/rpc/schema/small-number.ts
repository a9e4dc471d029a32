import { number, string, union, type ZodType } from 'zod'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { parseQuantityLenient } from '#types/hex.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { parsedBy } from './parsed-text.ts'

const MAX_INDEX = 2n ** 31n - 1n
const DECIMAL = /^[0-9]{1,20}$/

/** A place in a list, or a small number: 0x and hex digits, decimal digits, or a JSON number. */
const IndexWire: ZodType<number> = union([
  string().transform(parsedBy(parseIndex)),
  number().int().nonnegative().max(Number(MAX_INDEX)),
]).meta({ title: 'index', description: '0x and a hex number, or a decimal number' })

export const TransactionIndex = new Param(IndexWire, 'INVALID_TRANSACTION_INDEX_PARAMS')
export const OmmerIndex = new Param(IndexWire, 'INVALID_BLOCK_INDEX_PARAMS')
export const BlockCount = new Param(IndexWire, 'INVALID_BLOCK_COUNT_PARAMS')

/** The same for numbers of 64 bits. */
export const Nonce = new Param<bigint>(
  union([
    string().transform(parsedBy((text) => parseNumber(text, MAX_NONCE))),
    number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).transform(BigInt),
  ]).meta({ title: 'nonce', description: '0x and a hex number, or a decimal number' }),
  'INVALID_NONCE_PARAMS',
)

function parseIndex(text: string): number {
  return Number(parseNumber(text, MAX_INDEX))
}

function parseNumber(text: string, max: bigint): bigint {
  const value = DECIMAL.test(text) ? BigInt(text) : parseQuantityLenient(text)
  if (value <= max) return value
  throw new Fault('INVALID_NUMBER', { sentence: `The number is at most ${max}.` })
}

import { string } from 'zod'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { parsedBy } from './parsed-text.ts'

/** A 32-byte hash in a result. */
export const HashText = string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ title: 'hash', description: '0x and 64 hex digits' })

export const HashWire = string()
  .meta({ title: 'hash parameter', description: '0x and 64 hex digits', pattern: '^0x[0-9a-fA-F]{64}$' })
  .transform(parsedBy(parsePrefixedHash))

/** A 32-byte hash as a parameter. */
export const BlockHash = new Param(HashWire, 'INVALID_BLOCK_HASH_PARAMS')
export const TransactionHash = new Param(HashWire, 'INVALID_TRANSACTION_HASH_PARAMS')

function parsePrefixedHash(text: string): Hash {
  if (text.startsWith('0x')) return parseHash(text)
  throw new Fault('INVALID_HASH', { sentence: 'A hash starts with 0x.' })
}

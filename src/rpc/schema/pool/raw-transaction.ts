import { string } from 'zod'
import { Param } from '#rpc/param.ts'
import { parsedBy } from '#rpc/schema/parsed-text.ts'
import { parseDataLenient } from '#types/hex.ts'

/** More than the longest with the blobs of a block beside it. */
const MAX_BYTES = 4 * 1024 * 1024

/** The bytes of a signed transaction; the 0x may be missing, as in Besu. */
export const RawTransaction = new Param<Uint8Array>(
  string()
    .meta({
      description: `the bytes of a signed transaction, at most ${MAX_BYTES}`,
      pattern: '^(0x)?([0-9a-fA-F]{2})*$',
    })
    .transform(parsedBy((text) => parseDataLenient(text, MAX_BYTES))),
  'INVALID_PARAMS',
)

/** The text that Solidity's `require` and `revert` put into the data of a revert. */
import { bytesToBigint } from '#types/bytes.ts'

/** Error(string). */
const SELECTOR = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0)
const WORD = 32
/** Of selector, offset and length. */
const TEXT_START = SELECTOR.length + 2 * WORD
const OFFSET = 32n

/** undefined: it is of another kind, or malformed. */
export function decodeRevertReason(data: Uint8Array): string | undefined {
  if (data.length < TEXT_START || SELECTOR.some((byte, index) => data[index] !== byte)) return undefined
  const offset = bytesToBigint(data.subarray(SELECTOR.length, SELECTOR.length + WORD))
  const length = bytesToBigint(data.subarray(SELECTOR.length + WORD, TEXT_START))
  if (offset !== OFFSET || length > BigInt(data.length - TEXT_START)) return undefined
  return Buffer.from(data.subarray(TEXT_START, TEXT_START + Number(length))).toString('utf8')
}

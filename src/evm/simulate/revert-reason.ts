/** The text of Solidity's `require` and `revert` in revert data. */
import { bytesToBigint } from '#types/bytes.ts'

/** Error(string). */
const SELECTOR = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0)
const WORD = 32
/** After selector, offset and length. */
const TEXT_START = SELECTOR.length + 2 * WORD
const OFFSET = 32n

/** Returns undefined for other or malformed data. */
export function decodeRevertReason(data: Uint8Array): string | undefined {
  if (data.length < TEXT_START || SELECTOR.some((byte, index) => data[index] !== byte)) return undefined
  const offset = bytesToBigint(data.subarray(SELECTOR.length, SELECTOR.length + WORD))
  const length = bytesToBigint(data.subarray(SELECTOR.length + WORD, TEXT_START))
  if (offset !== OFFSET || length > BigInt(data.length - TEXT_START)) return undefined
  return Buffer.from(data.subarray(TEXT_START, TEXT_START + Number(length))).toString('utf8')
}

/* This node announces complete blocks; other clients announce hashes. */
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import type { AnnouncedBlock } from './announcements.ts'

export function encodeNewBlockHashes(blocks: readonly AnnouncedBlock[]): Uint8Array {
  return encodeRlp(blocks.map(({ hash, number }) => [hashToBytes(hash), rlpScalar(number)]))
}

/**
 * The maximum length of a block, the same for building, proposing and importing. It counts the bytes after the
 * header, because commit seals are part of the header and differ between nodes. A longer block cannot reach every
 * peer: GoQuorum and Besu accept `eth` messages of 10 MiB, and header, seals and justifications need room in the same
 * message.
 */
import type { Rules } from '#evm/rules.ts'
import { type BlockHeader, encodeHeader } from '#types/block/block-header.ts'
import { rlpListLength } from '#types/rlp.ts'

/** Maximum bytes of a block after its header, on every network. */
export const MAX_BODY_BYTES = 9 * 1024 * 1024
/** EIP-7934: maximum bytes of a complete block. */
const MAX_OSAKA_BLOCK_BYTES = 8 * 1024 * 1024
/** Room for the parts of a built block that are not transactions. Besu reserves the same. */
const RESERVED_BYTES = 256 * 1024
/** Maximum length of the RLP prefix of a transaction. */
const PREFIX_BYTES = 4

/** Besu applies EIP-7934 neither to QBFT and IBFT 2.0 nor to Clique, which use its Frontier block rules. */
function hasOsakaLimit(rules: Rules): boolean {
  return rules.has('osaka') && rules.consensus !== 'bft' && rules.consensus !== 'clique'
}

/** Returns a sentence if the block is too long. */
export function refuseSize(header: BlockHeader, bodyBytes: number, rules: Rules): string | undefined {
  if (bodyBytes > MAX_BODY_BYTES) return `The body has ${bodyBytes} bytes, more than ${MAX_BODY_BYTES}.`
  if (!hasOsakaLimit(rules)) return undefined
  const size = rlpListLength(encodeHeader(header).length + bodyBytes)
  if (size <= MAX_OSAKA_BLOCK_BYTES) return undefined
  return `The block has ${size} bytes, more than ${MAX_OSAKA_BLOCK_BYTES}.`
}

/** Maximum bytes of all transactions in a built block, each counted by `bytesInBlock`. */
export function transactionsMaxBytes(rules: Rules): number {
  return (hasOsakaLimit(rules) ? MAX_OSAKA_BLOCK_BYTES : MAX_BODY_BYTES) - RESERVED_BYTES
}

/** An upper bound of the bytes that a transaction adds to a block. */
export function bytesInBlock({ encoded }: { readonly encoded: Uint8Array }): number {
  return encoded.length + PREFIX_BYTES
}

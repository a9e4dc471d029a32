/** Blocks in messages, with another round or with seals. Bodies are not decoded here, because they may be large. */
import type { ProposedBlock } from '#consensus/bft/messages.ts'
import { type BftProtocol, decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftBlockHash, bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { MAX_BLOCK_TRANSACTIONS } from '#types/block/block.ts'
import { type BlockHeader, decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlpList, rlpItemEnd, rlpListStart } from '#types/rlp.ts'
import { invalid, itemsOf } from './read-items.ts'

/** Header, transactions, ommers, and withdrawals since Shanghai. */
const MIN_BLOCK_ITEMS = 3
const MAX_BLOCK_ITEMS = 4
/** Maximum header size, twice what a thousand validators need; it bounds what a relaying peer can make this node hash. */
const MAX_HEADER_BYTES = 64 * 1024

const NOTHING = new Uint8Array(0)

/**
 * Throws a Fault if header or extra data are malformed; the rest is only checked to be RLP items. Extra data must be canonical:
 * neither hash nor digest covers items after the fifth, so two proposals could pass for one.
 */
export function decodeProposedBlock(
  protocol: BftProtocol,
  encoded: Uint8Array,
  accessList: Uint8Array | undefined,
  keccak: Keccak,
): ProposedBlock {
  const [header] = blockItems(encoded)
  if (header.length > MAX_HEADER_BYTES) throw invalid(`The header of its block has ${header.length} bytes.`)
  const decoded = decodeHeader(header)
  const { extraData } = decoded
  if (!equalBytes(encodeBftExtraData(protocol, decodeBftExtraData(protocol, extraData)), extraData)) {
    throw invalid('The extra data of its block is not in canonical form.')
  }
  return proposedBlock(protocol, encoded, decoded, accessList, keccak)
}

/** The same block in another round; nothing else changes, including its author. */
export function withRound(
  protocol: BftProtocol,
  block: ProposedBlock,
  round: number,
  keccak: Keccak,
): ProposedBlock {
  const content = decodeBftExtraData(protocol, block.header.extraData)
  if (content.round === round && content.seals.length === 0) return block
  const extraData = encodeBftExtraData(protocol, { ...content, round, seals: [] })
  const header = { ...block.header, extraData }
  const proposed = proposedBlock(protocol, NOTHING, header, block.accessList, keccak)
  let encoded: Uint8Array | undefined
  return {
    ...proposed,
    // Lazy: most callers need only the digest, and the body may be large.
    get encoded() {
      encoded ??= withHeader(block, header)
      return encoded
    },
  }
}

/** The encoded block for the import. */
export function sealedBlock(
  protocol: BftProtocol,
  block: ProposedBlock,
  seals: readonly Uint8Array[],
): Uint8Array {
  const content = decodeBftExtraData(protocol, block.header.extraData)
  const extraData = encodeBftExtraData(protocol, { ...content, seals })
  return withHeader(block, { ...block.header, extraData })
}

export function transactionCount({ encoded }: Pick<ProposedBlock, 'encoded'>): number {
  const [, transactions] = blockItems(encoded)
  let count = 0
  for (const _ of encodedRlpItems(transactions, MAX_BLOCK_TRANSACTIONS)) count++
  return count
}

function withHeader({ encoded }: ProposedBlock, header: BlockHeader): Uint8Array {
  const [, ...body] = blockItems(encoded)
  return encodeRlpList([encodeHeader(header), ...body])
}

function blockItems(encoded: Uint8Array) {
  return itemsOf(encoded, MIN_BLOCK_ITEMS, MAX_BLOCK_ITEMS)
}

function proposedBlock(
  protocol: BftProtocol,
  encoded: Uint8Array,
  header: BlockHeader,
  accessList: Uint8Array | undefined,
  keccak: Keccak,
): ProposedBlock {
  const hash = bftBlockHash(protocol, header, keccak)
  const digest = bftCommittedSealHash(protocol, header, keccak)
  return { encoded, header, hash, digest, accessList }
}

/**
 * Whether two blocks are equal except for the round, including the body byte for byte. The hash does not cover the attached
 * body; only the writer verifies it.
 */
export function isSameBlock(one: ProposedBlock, other: ProposedBlock): boolean {
  return (
    one.hash === other.hash &&
    equalBytes(bodyBytes(one), bodyBytes(other)) &&
    equalBytes(one.accessList ?? NOTHING, other.accessList ?? NOTHING)
  )
}

/** The bytes after the header. */
function bodyBytes({ encoded }: ProposedBlock): Uint8Array {
  return encoded.subarray(rlpItemEnd(encoded, rlpListStart(encoded)))
}

/** Messages that peers send without a request. */
import { ethFault } from '#sync/faults.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  encodeRlpList,
  listFromRlp,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'
import { type EthVersion, MAX_ANNOUNCED } from './eth-codes.ts'
import { asEthMessage, encodeHashes, readBlockNumber, readHash, readHashes } from './read-message.ts'

export interface AnnouncedBlock {
  readonly hash: Hash
  readonly number: number
}

const PAIR_LIMITS = { maxBytes: 64, maxItems: 3, maxDepth: 1 }
const DIFFICULTY_BYTES = 32
const SIZE_BYTES = 4

/** `[[hash, number]…]` */
export function decodeNewBlockHashes(data: Uint8Array): readonly AnnouncedBlock[] {
  return asEthMessage('NewBlockHashes', data, () => {
    const blocks: AnnouncedBlock[] = []
    for (const item of encodedRlpItems(data, MAX_ANNOUNCED)) {
      const [hash, number] = listFromRlp(decodeRlp(item, PAIR_LIMITS), 2)
      blocks.push({ hash: readHash(hash), number: readBlockNumber(number) })
    }
    return blocks
  })
}

export function encodeNewBlockHashes(blocks: readonly AnnouncedBlock[]): Uint8Array {
  return encodeRlp(blocks.map(({ hash, number }) => [hashToBytes(hash), rlpScalar(number)]))
}

export interface ToldBlock {
  /** The block as received. */
  readonly block: Uint8Array
  readonly totalDifficulty: bigint
}

/** `[block, total difficulty]` */
export function decodeNewBlock(data: Uint8Array): ToldBlock {
  return asEthMessage('NewBlock', data, () => {
    const [block, difficulty, ...rest] = encodedRlpItems(data, 3)
    if (block === undefined || difficulty === undefined || rest.length > 0) {
      throw ethFault('It has no block and difficulty.')
    }
    const limits = { maxBytes: DIFFICULTY_BYTES + 1 }
    return { block, totalDifficulty: scalarFromRlp(decodeRlp(difficulty, limits), DIFFICULTY_BYTES) }
  })
}

export function encodeNewBlock({ block, totalDifficulty }: ToldBlock): Uint8Array {
  return encodeRlpList([block, encodeRlp(rlpScalar(totalDifficulty))])
}

export interface AnnouncedTransaction {
  readonly hash: Hash
  /** Known from eth/68 on. */
  readonly type: number | undefined
  /** Bytes in exchange encoding. */
  readonly size: number | undefined
}

export interface DescribedTransaction {
  readonly hash: Hash
  readonly type: number
  readonly size: number
}

export function describeTransaction(transaction: {
  readonly hash: Hash
  readonly encoded: Uint8Array
  readonly exchangeBytes?: number | undefined
}): DescribedTransaction {
  const { hash, encoded, exchangeBytes = encoded.length } = transaction
  return { hash, type: encoded[0]! >= 0xc0 ? 0 : encoded[0]!, size: exchangeBytes }
}

export function decodeNewPooledHashes(
  version: EthVersion,
  data: Uint8Array,
): readonly AnnouncedTransaction[] {
  return asEthMessage('NewPooledTransactionHashes', data, () => {
    if (version < 68) {
      return readHashes(data, MAX_ANNOUNCED).map((hash) => ({ hash, type: undefined, size: undefined }))
    }
    const [typesItem, sizesItem, hashesItem, ...rest] = encodedRlpItems(data, 4)
    if (typesItem === undefined || sizesItem === undefined || hashesItem === undefined || rest.length > 0) {
      throw ethFault('It has no types, sizes and hashes.')
    }
    const types = bytesFromRlp(decodeRlp(typesItem, { maxBytes: MAX_ANNOUNCED + SIZE_BYTES }))
    const sizes = listFromRlp(decodeRlp(sizesItem, { maxDepth: 1, maxItems: MAX_ANNOUNCED + 1 }))
    const hashes = readHashes(hashesItem, MAX_ANNOUNCED)
    if (types.length !== hashes.length || sizes.length !== hashes.length) {
      throw ethFault(`It has ${types.length} types, ${sizes.length} sizes and ${hashes.length} hashes.`)
    }
    return hashes.map((hash, at) => ({
      hash,
      type: types[at]!,
      size: Number(scalarFromRlp(sizes[at]!, SIZE_BYTES)),
    }))
  })
}

export function encodeNewPooledHashes(
  version: EthVersion,
  transactions: readonly DescribedTransaction[],
): Uint8Array {
  const hashes = transactions.map(({ hash }) => hash)
  if (version < 68) return encodeHashes(hashes)
  return encodeRlp([
    Uint8Array.from(transactions, ({ type }) => type),
    transactions.map(({ size }) => rlpScalar(size)),
    hashes.map(hashToBytes),
  ])
}

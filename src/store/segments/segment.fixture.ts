/** Segments in memory, and generated blocks for them. */
import type { Random } from '#platform/random.ts'
import type { TracedAddress } from '#store/store.ts'
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { ChunkCache } from './chunk-cache.ts'
import { Segment, type SegmentSource } from './segment.ts'
import { type DictionarySizes, type SegmentBlock, SegmentWriter } from './segment-writer.ts'

export const GENESIS_HASH = keccak256(Buffer.from('genesis'))
const CACHE_BYTES = 1024 * 1024

/** Sizes with which short segments have a dictionary. */
export const SMALL_DICTIONARY: DictionarySizes = { bytes: 120, fromBytes: 200 }

export async function segmentBytes(
  blocks: readonly SegmentBlock[],
  first = 0,
  sizes?: DictionarySizes,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const target = {
    append: async (bytes: Uint8Array) => void pieces.push(Uint8Array.from(bytes)),
    pause: () => undefined,
  }
  const writer = new SegmentWriter(target, first, GENESIS_HASH, sizes)
  for (const block of blocks) await writer.add(block)
  await writer.finish()
  return concatBytes(...pieces)
}

export function segmentIn(bytes: Uint8Array): Segment {
  const source: SegmentSource = {
    name: 'in memory',
    bytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    close: () => {},
  }
  return new Segment(source, new ChunkCache(CACHE_BYTES))
}

/** Blocks with parts of any size, and addresses and topics that repeat. */
export class RandomSegmentBlocks {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly Uint8Array[]
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
    this.addresses = Array.from({ length: 12 }, () => random.randomBytes(20))
    this.topics = Array.from({ length: 12 }, () => random.randomBytes(32))
  }

  next(maxPartBytes = 300): SegmentBlock {
    const random = this.#random
    const isHeaderOnly = random.randomBelow(10) === 0
    const part = () => (random.randomBelow(8) === 0 ? undefined : this.#text(maxPartBytes))
    const transactions = isHeaderOnly ? 0 : random.randomBelow(6)
    return {
      hash: random.randomBytes(32),
      header: this.#text(600),
      body: isHeaderOnly ? undefined : this.#text(maxPartBytes),
      receipts: isHeaderOnly ? undefined : part(),
      callTrees: isHeaderOnly ? undefined : part(),
      transactionHashes: Array.from({ length: transactions }, () => random.randomBytes(32)),
      logAddresses: this.#some(this.addresses, transactions),
      logTopics: this.#some(this.topics, transactions),
      parties: { callers: this.#parties(transactions), callees: this.#parties(transactions) },
    }
  }

  #parties(transactions: number): TracedAddress[] {
    const chosen = new Set(this.#some(this.addresses, transactions))
    return [...chosen].map((address) => ({
      address,
      transactions: Array.from({ length: transactions }, (_, index) => index).filter(
        () => this.#random.randomBelow(2) === 0,
      ),
    }))
  }

  #some<Item>(items: readonly Item[], count: number): Item[] {
    return Array.from({ length: count }, () => items[this.#random.randomBelow(items.length)]!)
  }

  /** Bytes that repeat, so that some chunks are compressed and others are not. */
  #text(maxBytes: number): Uint8Array {
    const bytes = this.#random.randomBytes(this.#random.randomBelow(maxBytes) + 1)
    return this.#random.randomBelow(2) === 0 ? bytes : bytes.fill(7, 10)
  }
}

/**
 * Rebuilds a damaged segment while the node runs. Blocks whose bytes are intact are kept; the others come from a source of
 * blocks by hash. The parent hash of the block after a segment names its last block, so a source can refuse, but not lie.
 * Call traces of fetched blocks are lost: requests for them replay the block if its state is kept.
 */

import { join } from 'node:path'
import type { KnownHeader } from '#chain/block/stages.ts'
import { inSlices, nextTurn } from '#platform/next-turn.ts'
import { leavingRoom } from '#store/disk-reserve.ts'
import { storeFault } from '#store/faults.ts'
import type { StoreReader } from '#store/reader.ts'
import { requireRange, type SegmentLinks, verifyCompletely } from '#store/segments/inspect-segments.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import type { Segment } from '#store/segments/segment.ts'
import { REBUILT_SUFFIX, writeSegmentFile } from '#store/segments/segment-file.ts'
import { isDamage, segmentName } from '#store/segments/segment-layout.ts'
import type { SegmentBlock } from '#store/segments/segment-writer.ts'
import { assert } from '#types/assert.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { indexedBlock } from './indexed-block.ts'
import { type BlockHashing, contentProblem, verifyBlocks } from './verify-segment.ts'

/** A header with its bytes; its hash is correct. */
export interface SourceHeader extends KnownHeader {
  readonly encoded: Uint8Array
}

/** A body as peers send it, and stored receipts; both match the header. */
export interface SourceContent {
  readonly body: Uint8Array
  readonly receipts: Uint8Array
}

/** Blocks from elsewhere. Answers undefined if no one has them. */
export interface BlockSource {
  /** The header with this hash and its ancestors, highest first. */
  headers(from: Hash, count: number): Promise<readonly SourceHeader[] | undefined>
  /** One content per header, undefined if it is missing; at least one is there. */
  contents(headers: readonly SourceHeader[]): Promise<readonly (SourceContent | undefined)[] | undefined>
}

export interface RebuiltSegment {
  readonly name: string
  readonly first: number
  readonly blocks: number
  /** Blocks whose header or content came from the source. */
  readonly fetched: number
  /** Blocks with transactions that have no call traces any more. */
  readonly untraced: number
}

const HEADERS_ASKED = 192
const CONTENTS_ASKED = 64
/**
 * Fetched contents in memory while a peer withholds an earlier block. Beyond them, that block is requested alone. The answer
 * that reaches the bound comes on top: at most one message with bodies and one with receipts, of 16 MiB each.
 */
const WAITING_BYTES = 16 * 1024 * 1024

type Content = Pick<SegmentBlock, 'body' | 'receipts' | 'callTrees'>

const HEADER_ONLY: Content = { body: undefined, receipts: undefined, callTrees: undefined }

interface Place {
  readonly folder: string
  readonly first: number
  readonly count: number
}

export class Rebuild {
  isDone = false
  readonly #store: StoreReader
  readonly #hashing: BlockHashing
  readonly #source: BlockSource
  readonly #place: Place
  readonly #path: string
  readonly #old: Segment | undefined
  /** Headers of the range, the first block first. */
  #headers: readonly SourceHeader[] = []
  readonly #fetched = new Set<number>()
  readonly #waiting = new Map<number, SourceContent>()
  #waitingBytes = 0
  #untraced = 0

  constructor(store: StoreReader, hashing: BlockHashing, source: BlockSource, place: Place) {
    this.#store = store
    this.#hashing = hashing
    this.#source = source
    this.#place = place
    this.#path = join(place.folder, segmentName(place.first))
    this.#old = unlessDamaged(() => openSegment(this.#path))
  }

  async isIntact(): Promise<boolean> {
    const old = this.#old
    if (old === undefined) return false
    try {
      requireRange(old, this.#path, this.#place.first, this.#genesisHash())
      await inSlices(verifyCompletely(old, this.#path, this.#links(), { blocks: this.#verifyBlocks }))
      this.isDone = true
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    return this.isDone
  }

  async run(isStopped: () => boolean): Promise<boolean> {
    this.#headers = await this.#findHeaders()
    this.isDone = await writeSegmentFile({
      ...this.#place,
      genesisHash: this.#genesisHash(),
      blockAt: (number) => this.#block(number),
      isStopped,
      pause: leavingRoom(this.#store.kv, nextTurn),
      partSuffix: REBUILT_SUFFIX,
      verify: (part) => this.#verify(part),
    })
    return this.isDone
  }

  result(): RebuiltSegment {
    const { first, count } = this.#place
    const [fetched, untraced] = [this.#fetched.size, this.#untraced]
    return { name: segmentName(first), first, blocks: count, fetched, untraced }
  }

  close(): void {
    this.#old?.close()
  }

  readonly #verifyBlocks = (segment: Segment, path: string, links: SegmentLinks) =>
    verifyBlocks(segment, path, links, this.#hashing)

  async #verify(part: string): Promise<void> {
    const segment = openSegment(part)
    try {
      await inSlices(verifyCompletely(segment, part, this.#links(), { blocks: this.#verifyBlocks }))
    } finally {
      segment.close()
    }
  }

  #genesisHash(): Uint8Array {
    const hash = this.#store.canonicalHash(0)
    assert(hash !== undefined, 'A chain has block 0.')
    return hash
  }

  #links(): SegmentLinks {
    return { before: undefined, last: hashToBytes(this.#lastHash()) }
  }

  /** The block after the segment is in the database or in a segment that was repaired before. */
  #lastHash(): Hash {
    const end = this.#place.first + this.#place.count
    const hash = this.#store.canonicalHash(end)
    const header = hash && this.#store.read('header', end, hash)
    assert(header !== undefined, `Block ${end} is stored.`)
    return decodeHeader(header).parentHash
  }

  async #findHeaders(): Promise<readonly SourceHeader[]> {
    const { first, count } = this.#place
    const headers: SourceHeader[] = []
    let wanted = this.#lastHash()
    while (headers.length < count) {
      const number = first + count - 1 - headers.length
      const own = this.#ownHeader(number, wanted)
      const left = Math.min(HEADERS_ASKED, count - headers.length)
      const found = own === undefined ? await this.#source.headers(wanted, left) : [own]
      if (found === undefined) throw missing(`the header of block ${number}`)
      if (own === undefined) for (const at of found.keys()) this.#fetched.add(number - at)
      headers.push(...found)
      wanted = found.at(-1)!.header.parentHash
      await nextTurn()
    }
    return headers.slice(0, count).reverse()
  }

  #ownHeader(number: number, wanted: Hash): SourceHeader | undefined {
    const encoded =
      number === 0
        ? this.#store.read('header', 0, hashToBytes(wanted))
        : unlessDamaged(() => this.#old?.read('header', number, hashToBytes(wanted)))
    if (encoded === undefined) return undefined
    const header = unlessDamaged(() => decodeHeader(encoded))
    return header && this.#hashing.hashBlock(header) === wanted
      ? { hash: wanted, header, encoded }
      : undefined
  }

  async #block(number: number): Promise<SegmentBlock | undefined> {
    const { hash, header, encoded } = this.#headers[number - this.#place.first]!
    const content = this.#ownContent(number) ?? (await this.#fetchedContent(number))
    if (content.callTrees === undefined && header.gasUsed > 0n && content.body !== undefined) this.#untraced++
    const parts = { ...content, header: encoded, edits: undefined }
    const read = (table: keyof typeof parts) => parts[table]
    return indexedBlock({ canonicalHash: () => hashToBytes(hash), read }, number, this.#hashing.keccak)
  }

  #ownContent(number: number): Content | undefined {
    const { hash, header } = this.#headers[number - this.#place.first]!
    const bytes = hashToBytes(hash)
    const read = (table: 'body' | 'receipts' | 'callTrees') =>
      number === 0 ? this.#store.read(table, number, bytes) : this.#old?.read(table, number, bytes)
    return unlessDamaged(() => {
      const content = { body: read('body'), receipts: read('receipts'), callTrees: read('callTrees') }
      if (content.body === undefined) return this.#isHeaderOnly(number) ? HEADER_ONLY : undefined
      return contentProblem(number, content, header, this.#hashing.keccak) === undefined ? content : undefined
    })
  }

  #isHeaderOnly(number: number): boolean {
    return number > 0 && number < this.#store.firstBlock()
  }

  async #fetchedContent(number: number): Promise<Content> {
    if (this.#isHeaderOnly(number)) return HEADER_ONLY
    while (!this.#waiting.has(number)) {
      const wanted = this.#lackingFrom(number)
      const found = await this.#source.contents(wanted)
      if (found === undefined) throw missing(`block ${number}`)
      for (const [at, content] of found.entries()) {
        if (content === undefined) continue
        this.#waiting.set(Number(wanted[at]!.header.number), content)
        this.#waitingBytes += bytesOf(content)
      }
    }
    const content = this.#waiting.get(number)!
    this.#waiting.delete(number)
    this.#waitingBytes -= bytesOf(content)
    this.#fetched.add(number)
    return { ...content, callTrees: undefined }
  }

  /** The next blocks without own content, so one request fetches several, unless enough others wait for this one. */
  #lackingFrom(number: number): SourceHeader[] {
    const lacking: SourceHeader[] = []
    const end = this.#place.first + this.#place.count
    const isFull = this.#waiting.size >= CONTENTS_ASKED || this.#waitingBytes >= WAITING_BYTES
    const most = isFull ? 1 : CONTENTS_ASKED
    for (let next = number; next < end && lacking.length < most; next++) {
      if (this.#waiting.has(next)) continue
      if (next > number && (this.#isHeaderOnly(next) || this.#ownContent(next) !== undefined)) break
      lacking.push(this.#headers[next - this.#place.first]!)
    }
    return lacking
  }
}

function bytesOf({ body, receipts }: SourceContent): number {
  return body.length + receipts.length
}

function missing(what: string) {
  const sentence = `No peer sent ${what} of a damaged history segment.`
  return storeFault('SEGMENT_DAMAGED', { sentence })
}

/** Damaged bytes may fail in any decoder behind the checksum; all of them mean that the source is asked. */
function unlessDamaged<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

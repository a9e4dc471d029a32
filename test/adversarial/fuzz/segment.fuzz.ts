import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { createSeededRandom } from '#platform/random.fixture.ts'
import {
  RandomSegmentBlocks,
  SMALL_DICTIONARY,
  segmentBytes,
  segmentIn,
} from '#store/segments/segment.fixture.ts'
import { FOOTER_BYTES, MAGIC } from '#store/segments/segment-layout.ts'
import { Fault } from '#types/fault.ts'
import type { FuzzTarget } from './target.ts'

const world = new RandomSegmentBlocks(createSeededRandom(1))
const blocks = [4, 1, 12].map((count) => Array.from({ length: count }, () => world.next(200)))
const seeds = await Promise.all(
  [undefined, SMALL_DICTIONARY].flatMap((sizes) => blocks.map((list) => segmentBytes(list, 7, sizes))),
)

/** The fields of a footer from its end: magic, checksum, version, checksum of the directory, its length. */
const CRC_AT = FOOTER_BYTES - MAGIC.length - 4
const DIRECTORY_CRC_AT = CRC_AT - 1 - 4
const DIRECTORY_BYTES_AT = DIRECTORY_CRC_AT - 4

/** Corrects the checksums of footer and directory, so mutations reach the decoders behind them. */
function withChecksums(input: Uint8Array): Uint8Array {
  const bytes = Buffer.from(input)
  const footer = bytes.subarray(-FOOTER_BYTES)
  if (footer.length < FOOTER_BYTES) return bytes
  const end = bytes.length - FOOTER_BYTES
  const directory = bytes.subarray(Math.max(0, end - footer.readUInt32BE(DIRECTORY_BYTES_AT)), end)
  footer.writeUInt32BE(crc32(directory), DIRECTORY_CRC_AT)
  footer.writeUInt32BE(crc32(footer.subarray(0, CRC_AT)), CRC_AT)
  return bytes
}

/** Asks everything of one segment. Chunks keep their checksums, so most of them answer. */
function ask(bytes: Uint8Array): void {
  const segment = segmentIn(bytes)
  const questions = [
    () => [...segment.verify()],
    () => segment.hash(segment.first + segment.count - 1),
    () => segment.read('callTrees', segment.first, segment.hash(segment.first)),
    ...blocks[0]!.flatMap(({ hash, transactionHashes }) => [
      () => segment.numberOf(hash),
      () => segment.transactions(transactionHashes[0] ?? hash),
    ]),
    ...world.addresses.flatMap((address) => [
      () => segment.blocksWithLogs('logAddress', address),
      () => segment.tracedTransactions('caller', address),
    ]),
  ]
  for (const question of questions) {
    try {
      question()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      assert.equal(error.kind, 'SEGMENT_DAMAGED')
    }
  }
}

const target: FuzzTarget = {
  name: 'segment',
  seeds: () => seeds,
  run(input) {
    try {
      ask(input)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    }
    ask(withChecksums(input))
  },
}

export default target

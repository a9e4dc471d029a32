/** An era file in memory with the blocks of a chain. */
import { testGenesis } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { joinBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { concatBytes } from '#types/bytes.ts'
import { hashToBytes } from '#types/hash.ts'
import { type EraSource, EraWriter } from './era-file.ts'

export const hashBlock = blockHashOf(testGenesis().config.consensus)

export function eraOf({ store, head }: Chain) {
  const lookup = new Lookup(store)
  const pieces: Uint8Array[] = []
  const blocks: Uint8Array[] = []
  const writer = new EraWriter((bytes) => void pieces.push(Uint8Array.from(bytes)))
  for (let number = 0; number <= Number(head.header.number); number++) {
    const { hash } = lookup.header(number)!
    const [header, body] = [lookup.encodedHeader(number)!, lookup.encodedBody(number)!]
    const receipts = lookup.encodedReceipts(number) ?? Uint8Array.of(0xc0)
    writer.add({
      number,
      hash: hashToBytes(hash),
      header,
      body,
      receipts,
      totalDifficulty: BigInt(number + 1),
    })
    blocks.push(joinBlock(header, body))
  }
  writer.finish()
  return { bytes: concatBytes(...pieces), blocks }
}

export function sourceIn(bytes: Uint8Array): EraSource {
  return {
    name: 'in memory',
    bytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  }
}

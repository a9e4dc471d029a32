/** A stored block with its index entries, derived from its bytes again. */

import { storedFrames, tracedParties } from '#chain/block/stored-call-trees.ts'
import { decodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import type { StoreReader } from '#store/reader.ts'
import type { SegmentBlock } from '#store/segments/segment-writer.ts'
import { addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { encodedTransactions } from '#types/block/block.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

/** Returns undefined if the chain does not have the block any more. */
export function indexedBlock(
  store: Pick<StoreReader, 'canonicalHash' | 'read'>,
  number: number,
  keccak: Keccak,
): SegmentBlock | undefined {
  const hash = store.canonicalHash(number)
  if (hash === undefined) return undefined
  const header = store.read('header', number, hash)
  assert(header !== undefined, `Block ${number} is canonical and stored.`)
  const body = store.read('body', number, hash)
  const receipts = store.read('receipts', number, hash)
  const callTrees = store.read('callTrees', number, hash)
  const logs = receipts === undefined ? [] : decodeStoredReceipts(receipts).flatMap((each) => each.logs)
  return {
    hash,
    header,
    body,
    receipts,
    callTrees,
    transactionHashes: body === undefined ? [] : encodedTransactions(body).map((bytes) => keccak(bytes)),
    logAddresses: [...new Set(logs.map(({ address }) => address))].map(addressToBytes),
    logTopics: [...new Set(logs.flatMap(({ topics }) => topics))].map(hashToBytes),
    parties: callTrees === undefined ? undefined : tracedParties(storedFrames(callTrees)),
  }
}

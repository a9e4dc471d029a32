/** The indexes of a segment while they are collected, to be written or compared with those of a file. */

import type { TracedAddress, TracedParties } from '#store/store.ts'
import { type IndexPage, Postings } from './postings.ts'
import { foldedKey, type IndexName, UNTRACED_KEY } from './segment-layout.ts'

/** The values of a block by which it is found. */
export interface IndexedValues {
  readonly hash: Uint8Array
  readonly transactionHashes: readonly Uint8Array[]
  readonly logAddresses: readonly Uint8Array[]
  readonly logTopics: readonly Uint8Array[]
  readonly parties: TracedParties | undefined
}

export class SegmentIndexes {
  readonly #postings: Readonly<Record<IndexName, Postings>> = {
    blockHash: new Postings(false),
    transaction: new Postings(true),
    logAddress: new Postings(false),
    logTopic: new Postings(false),
    caller: new Postings(true),
    callee: new Postings(true),
  }

  /** Blocks are added in ascending order; `block` is the position in the segment. */
  add({ hash, transactionHashes, logAddresses, logTopics, parties }: IndexedValues, block: number): void {
    const { blockHash, transaction, logAddress, logTopic, caller, callee } = this.#postings
    blockHash.add(foldedKey(hash), block)
    for (const [index, each] of transactionHashes.entries()) transaction.add(foldedKey(each), block, index)
    for (const each of logAddresses) logAddress.add(foldedKey(each), block)
    for (const each of logTopics) logTopic.add(foldedKey(each), block)
    if (parties === undefined) {
      for (const index of transactionHashes.keys()) {
        caller.add(UNTRACED_KEY, block, index)
        callee.add(UNTRACED_KEY, block, index)
      }
      return
    }
    addParties(caller, parties.callers, block)
    addParties(callee, parties.callees, block)
  }

  /** Yields pages in ascending order of keys, and undefined wherever the caller may pause. */
  pages(name: IndexName): Generator<IndexPage | undefined, void, undefined> {
    return this.#postings[name].pages()
  }
}

/** Two parties whose addresses fold to the same key share its postings, so positions are sorted. */
function addParties(postings: Postings, parties: readonly TracedAddress[], block: number): void {
  const positions = parties.flatMap(({ address, transactions }) => {
    const key = foldedKey(address)
    return transactions.map((position) => ({ key, position }))
  })
  for (const { key, position } of positions.sort((a, b) => a.position - b.position))
    postings.add(key, block, position)
}

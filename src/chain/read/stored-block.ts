/** Blocks as the writer reads them back, and as it stores those that it did not execute. */

import { storedParts } from '#chain/write/execute.ts'
import type { HeaderValidatedBlock, KnownHeader, ReceivedBlock } from '#chain/write/stages.ts'
import type { Store, StoredBlock } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { bodyBytesOf, decodeBody } from '#types/block/block.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

export function storedHead(store: Pick<Store, 'head' | 'read'>): KnownHeader {
  const head = store.head()
  const header = head && store.read('header', head.number, head.hash)
  assert(head && header, 'A chain has a head from block 0 on.')
  return { hash: hashFromBytes(head.hash), header: decodeHeader(header) }
}

/** A block that is known to be stored, to be imported again. */
export function storedBlock(
  store: Pick<Store, 'numberOf' | 'read'>,
  hash: Hash,
  keccak: Keccak,
): ReceivedBlock {
  const bytes = hashToBytes(hash)
  const number = store.numberOf(bytes)
  const header = number === undefined ? undefined : store.read('header', number, bytes)
  const body = number === undefined ? undefined : store.read('body', number, bytes)
  assert(header && body, 'A block that is stored has a header and a body.')
  const block = { header: decodeHeader(header), ...decodeBody(body, keccak) }
  return { stage: 'received', hash, block, bodyBytes: bodyBytesOf(body) }
}

/** What is kept of a block that is not on the head: it is executed when it becomes canonical, and not before. */
export function siblingOf(validated: HeaderValidatedBlock): StoredBlock {
  return { ...storedParts(validated), receipts: undefined, callTrees: undefined }
}

/** Blocks as the store has them. */
import type { KnownHeader, ReceivedBlock } from '#chain/block/stages.ts'
import { storedParts } from '#chain/execute/execute.ts'
import type { StoredBlock } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { assert } from '#types/assert.ts'
import { type Block, bodyBytesOf, decodeBody } from '#types/block/block.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

export function storedHead(store: Pick<Store, 'head' | 'read'>): KnownHeader {
  const head = store.head()
  const header = head && store.read('header', head.number, head.hash)
  assert(head && header, 'A chain has a head from block 0 on.')
  return { hash: hashFromBytes(head.hash), header: decodeHeader(header) }
}

/** Reads a stored block in order to import it again. */
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

/** Stored parts of a block that is not on the head; it is executed when it becomes canonical. */
export function siblingOf(block: { readonly block: Block; readonly hash: Hash }): StoredBlock {
  return { ...storedParts(block), receipts: undefined, callTrees: undefined }
}

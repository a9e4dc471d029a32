/** Canonical blocks of the ledger with their receipts and total difficulties, for era files. */

import { decodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { usageFault } from '#config/faults.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { openStoreReader } from '#store/open-store.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { encodeReceipt } from '#types/block/receipt.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { type Ledger, requireChainAt } from './ledger.ts'

export interface ExportedBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** As in the receipts trie; those with a type are strings. */
  readonly receipts: Uint8Array
  readonly totalDifficulty: bigint
}

const TURN_BLOCKS = 50

/** Yields the blocks from `first` to the head. */
export async function* historyBlocks(
  { genesis, writer }: Ledger,
  first: number,
): AsyncGenerator<ExportedBlock, void, undefined> {
  requireChainAt(writer.path)
  const store = await openStoreReader(writer)
  try {
    const view = createChainView({ store, genesis, keccak: loadFastKeccak() })
    const { lookup } = view
    const head = lookup.headNumber()
    if (head === undefined) throw usageFault('There is no chain to export: the database is empty.')
    const complete = lookup.firstBlock()
    if (complete > first)
      throw usageFault(`Blocks before ${complete} have only headers. Give a later --start-era.`)
    if (first > head) throw usageFault(`The chain ends with block ${head}. Give an earlier --start-era.`)
    for (let number = first; number <= head; number++) {
      const known = lookup.header(number)
      const body = lookup.encodedBody(number)
      const header = lookup.encodedHeader(number)
      if (known === undefined || body === undefined || header === undefined)
        throw usageFault(`Block ${number} is gone: the chain changed while it was exported. Export it again.`)
      const { hash } = known
      const totalDifficulty = view.totalDifficulty(known)
      const receipts = encodeReceipts(lookup.encodedReceipts(number))
      yield { number, hash: hashToBytes(hash), header, body, receipts, totalDifficulty }
      if (number % TURN_BLOCKS === 0) await nextTurn()
    }
  } finally {
    await store.close()
  }
}

/** Block 0 has no receipts. */
function encodeReceipts(stored: Uint8Array | undefined): Uint8Array {
  const receipts = stored === undefined ? [] : decodeStoredReceipts(stored)
  return encodeRlpList(
    receipts.map((receipt) => {
      const encoded = encodeReceipt({ ...receipt, logsBloom: bloomOfLogs(receipt.logs) })
      return receipt.type === 0 ? encoded : encodeRlp(encoded)
    }),
  )
}

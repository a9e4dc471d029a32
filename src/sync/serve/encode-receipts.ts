/**
 * Receipts as peers exchange them: up to eth/68 as in the trie, with their blooms; from 69 on without, and flat. Clients can fill a
 * block with hundreds of thousands of logs, so logs are copied as they are stored, and the work pauses after every log that is read.
 */
import type { EthVersion } from '#sync/wire/eth-codes.ts'
import { addToBloom, bloomBits, emptyBloom } from '#types/block/bloom.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { PausingWork } from './serve-turns.ts'

/** The gas limit bounds the logs of a stored block much earlier. */
const ITEMS_MAX = 10_000_000
/** The encoding of type 0. */
const LEGACY = 0x80

/** The receipts of one block as one item of an answer. `stored` has the form that docs/wire/chain.md describes. */
export function* encodeBlockReceipts(
  version: EthVersion,
  stored: Uint8Array,
  keccak: Keccak,
): PausingWork<Uint8Array> {
  const receipts: Uint8Array[] = []
  for (const receipt of encodedRlpItems(stored, ITEMS_MAX)) {
    const [type, , outcome, gas, logs] = [...encodedRlpItems(receipt)] as [
      type: Uint8Array,
      sender: Uint8Array,
      outcome: Uint8Array,
      gas: Uint8Array,
      logs: Uint8Array,
    ]
    if (version >= 69) receipts.push(encodeRlpList([type, outcome, gas, logs]))
    else {
      const bloom = yield* bloomOf(logs, keccak)
      const list = encodeRlpList([outcome, gas, encodeRlp(bloom), logs])
      receipts.push(type[0] === LEGACY ? list : encodeRlp(concatBytes(type, list)))
    }
    yield
  }
  return encodeRlpList(receipts)
}

function* bloomOf(logs: Uint8Array, keccak: Keccak): PausingWork<Uint8Array> {
  const bloom = emptyBloom()
  for (const log of encodedRlpItems(logs, ITEMS_MAX)) {
    const [address, topics] = [...encodedRlpItems(log)] as [Uint8Array, Uint8Array, Uint8Array]
    for (const item of [address, ...encodedRlpItems(topics)]) {
      // The first byte is the length.
      addToBloom(bloom, bloomBits(item.subarray(1), keccak))
    }
    yield
  }
  return bloom
}

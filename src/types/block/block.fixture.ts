/** Headers for tests, and a splitter for block files. */
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { rlpItemEnd } from '#types/rlp.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from './block-header.ts'
import { EMPTY_OMMERS_HASH } from './block-roots.ts'
import { emptyBloom } from './bloom.ts'
import { EMPTY_TRIE_ROOT } from './ordered-trie-root.ts'

const ZERO = parseHash('00'.repeat(32))

export const PLAIN_HEADER: BlockHeader = {
  parentHash: parseHash('11'.repeat(32)),
  ommersHash: EMPTY_OMMERS_HASH,
  coinbase: parseAddress('22'.repeat(20)),
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: emptyBloom(),
  difficulty: 1n,
  number: 5n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1_700_000_000n,
  extraData: new Uint8Array(0),
  mixHash: ZERO,
  nonce: 0n,
  ...NO_OPTIONAL_FIELDS,
}

/** A header with every field that a fork has added. */
export const FULL_HEADER: BlockHeader = {
  ...PLAIN_HEADER,
  baseFeePerGas: 7n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 131_072n,
  parentBeaconBlockRoot: ZERO,
  requestsHash: ZERO,
  blockAccessListHash: ZERO,
  slotNumber: 0n,
}

/** Yields the encoded blocks of a block file as views. */
export function* encodedBlocks(file: Uint8Array): Generator<Uint8Array, void, undefined> {
  let next = 0
  while (next < file.length) {
    const start = next
    next = rlpItemEnd(file, start)
    yield file.subarray(start, next)
  }
}

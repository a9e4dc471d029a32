import type { Block } from '#types/block/block.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import { emptyBloom } from '#types/block/bloom.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { EMPTY_REQUESTS_HASH } from '#types/block/requests.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp } from '#types/rlp.ts'
import type { Genesis } from './genesis.ts'
import { optionalHeaderFields } from './genesis-header.ts'

/** EIP-7928: the hash of an empty list, for a block that touches nothing. */
const EMPTY_ACCESS_LIST_HASH = hashFromBytes(keccak256(encodeRlp([])))

export function genesisHeader(genesis: Genesis, stateRoot: Hash): BlockHeader {
  const { header, config } = genesis
  const present = optionalHeaderFields(header, config.forks)
  const values = {
    ...header,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    requestsHash: EMPTY_REQUESTS_HASH,
    blockAccessListHash: EMPTY_ACCESS_LIST_HASH,
  }
  return {
    ...header,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: emptyBloom(),
    number: 0n,
    gasUsed: 0n,
    ...NO_OPTIONAL_FIELDS,
    ...Object.fromEntries(present.map((field) => [field, values[field]])),
  }
}

export function genesisBlock(genesis: Genesis, stateRoot: Hash): Block {
  const header = genesisHeader(genesis, stateRoot)
  const withdrawals = header.withdrawalsRoot === undefined ? undefined : []
  return { header, transactions: [], ommers: [], withdrawals }
}

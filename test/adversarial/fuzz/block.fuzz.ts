import assert from 'node:assert/strict'
import { parseAddress } from '#types/address.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { type Block, decodeBlock, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import { emptyBloom } from '#types/block/bloom.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import type { FuzzTarget } from './target.ts'

const address = parseAddress('35'.repeat(20))
const header: BlockHeader = {
  parentHash: EMPTY_TRIE_ROOT,
  ommersHash: EMPTY_OMMERS_HASH,
  coinbase: address,
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: emptyBloom(),
  difficulty: 1n,
  number: 100n,
  gasLimit: 30_000_000n,
  gasUsed: 21_000n,
  timestamp: 1_700_000_000n,
  extraData: new Uint8Array(100).fill(5),
  mixHash: EMPTY_TRIE_ROOT,
  nonce: 0n,
  ...NO_OPTIONAL_FIELDS,
}
const full: BlockHeader = {
  ...header,
  baseFeePerGas: 7n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: EMPTY_TRIE_ROOT,
  requestsHash: EMPTY_TRIE_ROOT,
  blockAccessListHash: EMPTY_TRIE_ROOT,
  slotNumber: 1n,
}
const call = { nonce: 9n, gasLimit: 100_000n, to: address, value: 1n, data: new Uint8Array(68).fill(7) }
const signature = { yParity: 1, r: 2n ** 250n, s: 2n ** 249n } as const
const transactions = [
  completeTransaction({ type: 0, chainId: 1337n, gasPrice: 1n, ...call }, signature),
  completeTransaction({ type: 1, chainId: 1337n, gasPrice: 1n, ...call, accessList: [] }, signature),
]
const withdrawals = [{ index: 1n, validatorIndex: 2n, address, amountGwei: 3n }]
const blocks: readonly Block[] = [
  { header, transactions: [], ommers: [], withdrawals: undefined },
  { header, transactions, ommers: [header], withdrawals: undefined },
  { header: full, transactions, ommers: [], withdrawals },
]
const constant = new Uint8Array(32)

const target: FuzzTarget = {
  name: 'block',
  seeds: () => [...blocks.map(encodeBlock), concatBytes(...blocks.map(encodeBlock))],
  run(input) {
    for (const encoded of encodedBlocks(input)) {
      const block = decodeBlock(encoded, () => constant)
      assert.ok(equalBytes(encodeBlock(block), encoded), 'The decoded block encodes to different bytes.')
    }
  },
}

export default target

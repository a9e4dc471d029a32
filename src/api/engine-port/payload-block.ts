/** Turns a payload of a consensus client into the block that it describes. */
import type { Payload } from '#api/schema/payload.ts'
import type { OfferedBlock } from '#engine-api/contract.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, hashHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH, withdrawalsRoot } from '#types/block/block-roots.ts'
import { orderedTrieRoot } from '#types/block/ordered-trie-root.ts'
import { hashRequests } from '#types/block/requests.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { BLOB_TYPE, type Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

/** The parameters next to the payload. */
export interface PayloadSides {
  readonly versionedHashes?: readonly Hash[] | undefined
  readonly parentBeaconBlockRoot?: Hash | undefined
  readonly requests?: readonly Uint8Array[] | undefined
}

/** A legacy transaction is an RLP list, any other begins with its type. */
const FIRST_LIST_BYTE = 0xc0

/** Throws a Fault if the payload is not a block with the stated hash. Transactions are decoded by the writer. */
export function blockOf(payload: Payload, sides: PayloadSides, keccak: Keccak): OfferedBlock {
  const encoded = payload.transactions.map((text) => parseData(text))
  requireHashes(encoded, sides, keccak)
  const header = headerOf(payload, encoded, sides, keccak)
  const hash = hashHeader(header, keccak)
  if (hash !== payload.blockHash) {
    const sentence = `Computed block hash ${hash} does not match block hash parameter ${payload.blockHash}`
    throw new Fault('INVALID_BLOCK', { sentence })
  }
  const withdrawals = payload.withdrawals ?? undefined
  const block: Block = { header, transactions: encoded.map(undecoded), ommers: [], withdrawals }
  return { hash, parentHash: header.parentHash, encoded: encodeBlock(block) }
}

/** The header of a payload, whose transactions are decoded from text. */
export function headerOf(
  payload: Payload,
  encoded: readonly Uint8Array[],
  sides: PayloadSides,
  keccak: Keccak,
): BlockHeader {
  const withdrawals = payload.withdrawals ?? undefined
  return {
    ...NO_OPTIONAL_FIELDS,
    parentHash: payload.parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    coinbase: payload.feeRecipient,
    stateRoot: payload.stateRoot,
    transactionsRoot: orderedTrieRoot(encoded, keccak),
    receiptsRoot: payload.receiptsRoot,
    logsBloom: payload.logsBloom,
    difficulty: 0n,
    number: payload.blockNumber,
    gasLimit: payload.gasLimit,
    gasUsed: payload.gasUsed,
    timestamp: payload.timestamp,
    extraData: payload.extraData,
    mixHash: payload.prevRandao,
    nonce: 0n,
    baseFeePerGas: payload.baseFeePerGas,
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals, keccak),
    blobGasUsed: payload.blobGasUsed ?? undefined,
    excessBlobGas: payload.excessBlobGas ?? undefined,
    parentBeaconBlockRoot: sides.parentBeaconBlockRoot,
    requestsHash: sides.requests && hashRequests(sides.requests),
  }
}

/** Encoding a block needs no more of a transaction. */
function undecoded(encoded: Uint8Array): Transaction {
  const [first = 0] = encoded
  return { type: first >= FIRST_LIST_BYTE ? 0 : Math.max(first, 1), encoded } as Transaction
}

/** EIP-4844: the consensus client knows the blobs by the hashes in the transactions. */
function requireHashes(
  transactions: readonly Uint8Array[],
  { versionedHashes }: PayloadSides,
  keccak: Keccak,
): void {
  if (versionedHashes === undefined) return
  const found = transactions
    .filter(([first]) => first === BLOB_TYPE)
    .map((encoded) => decodeTransaction(encoded, keccak))
    .flatMap((transaction) => (transaction.type === BLOB_TYPE ? transaction.blobVersionedHashes : []))
  const isSame =
    found.length === versionedHashes.length && found.every((hash, at) => hash === versionedHashes[at])
  if (!isSame) {
    const sentence = 'The blob hashes of the transactions are not the expected ones.'
    throw new Fault('INVALID_BLOCK', { sentence })
  }
}

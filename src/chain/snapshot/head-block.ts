/** The two complete blocks of a chain that starts from a snapshot: block 0 and the block of the state. */

import type { KnownHeader } from '#chain/block/stages.ts'
import {
  decodeStoredReceipts,
  encodeStoredReceipts,
  type StoredReceipt,
} from '#chain/block/stored-receipts.ts'
import { storedParts } from '#chain/execute/execute.ts'
import { chainFault } from '#chain/faults.ts'
import { refuseBody } from '#chain/rules/validate-body.ts'
import type { Crypto } from '#evm/crypto.ts'
import { rulesAt } from '#evm/rules.ts'
import type { WholeBlock } from '#store/snapshot/state-import.ts'
import { addressToBytes } from '#types/address.ts'
import { type Block, bodyBytesOf, decodeBody } from '#types/block/block.ts'
import { receiptsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { genesisBlock } from '#types/genesis/genesis-block.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { refused } from './header-check.ts'

export function firstBlock(genesis: Genesis, stateRoot: Hash, hash: Hash): WholeBlock {
  return wholeBlock({ hash, block: genesisBlock(genesis, stateRoot) }, [])
}

/** Decodes a body and checks it against its header. */
export function readBody(
  genesis: Genesis,
  { hash, header }: KnownHeader,
  encoded: Uint8Array,
  { keccak }: Crypto,
): Block {
  const block = { header, ...decoded('body', header.number, () => decodeBody(encoded, keccak)) }
  const received = { stage: 'received', hash, block, bodyBytes: bodyBytesOf(encoded) } as const
  const problem = refuseBody(received, rulesAt(genesis.config, header), keccak)
  if (problem === undefined) return block
  throw refused(`The body of block ${header.number} in the file is another one. ${problem}`)
}

/** Checks the receipts against the header and recovers the senders again. */
export function headBlock(
  known: { hash: Hash; block: Block },
  encoded: Uint8Array,
  crypto: Crypto,
): WholeBlock {
  const { header, transactions } = known.block
  const { keccak, recover } = crypto
  const stored = decoded('receipts', header.number, () => decodeStoredReceipts(encoded))
  const withBlooms = stored.map((receipt) => ({ ...receipt, logsBloom: bloomOfLogs(receipt.logs, keccak) }))
  const root = receiptsRoot(withBlooms, keccak)
  if (root !== header.receiptsRoot) {
    throw refused(
      `The receipts of block ${header.number} in the file have root ${root}, and the header says ${header.receiptsRoot}.`,
    )
  }
  const senders = decoded('transactions', header.number, () =>
    transactions.map((transaction) => recoverSender(transaction, recover, keccak)),
  )
  // No root covers the output of reverted transactions, so it cannot be trusted.
  return wholeBlock(
    known,
    stored.map((receipt, index) => ({ ...receipt, sender: senders[index]!, revertReason: undefined })),
  )
}

function wholeBlock(known: { hash: Hash; block: Block }, receipts: readonly StoredReceipt[]): WholeBlock {
  const logs = receipts.flatMap((receipt) => receipt.logs)
  return {
    ...storedParts(known),
    receipts: encodeStoredReceipts(receipts),
    callTrees: undefined,
    transactionHashes: known.block.transactions.map(({ hash }) => hashToBytes(hash)),
    logAddresses: logs.map(({ address }) => addressToBytes(address)),
    logTopics: logs.flatMap(({ topics }) => topics.map(hashToBytes)),
  }
}

/** The bytes are untrusted, so every failure is blamed on them. */
function decoded<Value>(what: string, number: bigint, decode: () => Value): Value {
  try {
    return decode()
  } catch (cause) {
    const sentence = `The file holds a malformed ${what} of block ${number}. ${cause instanceof Error ? cause.message : ''}`
    throw chainFault('SNAPSHOT_INVALID', { sentence }, { cause })
  }
}

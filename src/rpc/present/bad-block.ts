import type { ChainView } from '#chain/read/chain-view.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import { decodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { presentParts } from './block.ts'
import { presentTransaction, transactionBlock } from './transaction.ts'

/** A block that is on no chain has no total difficulty: its own difficulty takes the place, as in Besu. */
export function presentBadBlock({ keccak }: ChainView, { hash, encoded }: BadBlock) {
  const block = decodeBlock(encoded, keccak)
  const { header } = block
  const place = transactionBlock(header, hash)
  const transactions = block.transactions.flatMap((transaction, index) => {
    const sender = senderOf(transaction)
    return sender === undefined ? [] : [presentTransaction(place, index, transaction, sender)]
  })
  return {
    block: presentParts({ hash, header }, block, encoded.length, header.difficulty, transactions),
    hash,
    rlp: formatData(encoded),
  }
}

/** undefined: nobody can have signed it, which may be why the block is bad; `rlp` has it. */
function senderOf(transaction: Parameters<typeof recoverSender>[0]) {
  try {
    return recoverSender(transaction)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

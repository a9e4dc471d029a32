import { array, object } from 'zod'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { presentParts } from '#rpc/present/block.ts'
import { presentTransaction, transactionBlock } from '#rpc/present/transaction.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { DataText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { decodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

export default defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'The last blocks that were refused because they are invalid, since the node was started.',
  needs: ['chain', 'writer'],
  params: {},
  result: array(object({ block: BlockResult, hash: HashText, rlp: DataText })),
  run: async ({ chain, writer }) => {
    const bad = await writer.badBlocks()
    return bad.map((each) => presentBadBlock(chain, each))
  },
})

/** A block that is on no chain has no total difficulty: its own difficulty takes the place, as in Besu. */
function presentBadBlock({ keccak }: ChainView, { hash, encoded }: BadBlock) {
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

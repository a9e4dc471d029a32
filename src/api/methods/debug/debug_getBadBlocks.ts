import { array, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentParts, presentTransaction, transactionBlock } from '#api/present/block.ts'
import { BlockResult } from '#api/schema/results.ts'
import { DataText, HashText } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import { decodeBlock } from '#types/block/block.ts'
import { unlessFault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

export default defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'The last invalid blocks that the node refused since its start.',
  needs: ['chain', 'writer'],
  params: {},
  result: array(object({ block: BlockResult, hash: HashText, rlp: DataText })),
  run: async ({ chain, writer }) => {
    const bad = await writer.badBlocks()
    return bad.map((each) => presentBadBlock(chain, each))
  },
})

/** As in Besu, its own difficulty replaces the total difficulty, which only canonical blocks have. */
function presentBadBlock({ keccak }: ChainView, { hash, encoded }: BadBlock) {
  const block = decodeBlock(encoded, keccak)
  const { header } = block
  const place = transactionBlock(header, hash)
  const transactions = block.transactions.flatMap((transaction, index) => {
    // An invalid signature may be why the block is bad; `rlp` has the transaction.
    const sender = unlessFault(() => recoverSender(transaction))
    return sender === undefined ? [] : [presentTransaction(place, index, transaction, sender)]
  })
  return {
    block: presentParts({ hash, header }, block, encoded.length, header.difficulty, transactions),
    hash,
    rlp: formatData(encoded),
  }
}

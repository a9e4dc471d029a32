import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { type DecodedItem, poolItems } from '#rpc/present/pool/pool-transaction.ts'
import { KnownTransactionResult } from '#rpc/schema/pool/pool-results.ts'

export default defineMethod({
  name: 'txpool_clientTransactions',
  aliases: ['txpool_besuTransactions'],
  summary:
    'The transactions of the pool in the order of their coming: hash, whether sent to this node, and when.',
  needs: ['pool'],
  cost: 'medium',
  params: {},
  result: array(KnownTransactionResult),
  run: ({ pool }) => jsonList(lines(poolItems(pool))),
})

async function* lines(items: AsyncIterable<DecodedItem>): AsyncGenerator<string, void, undefined> {
  for await (const { item, transaction } of items) {
    yield JSON.stringify({
      hash: transaction.hash,
      isReceivedFromLocalSource: item.isLocal,
      addedToPoolAt: instant(item.arrivedAtMs),
    })
  }
}

/** ISO 8601 without a fraction of 0, as in Besu. */
function instant(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('.000Z', 'Z')
}

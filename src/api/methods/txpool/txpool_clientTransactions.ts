import { array, boolean, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { jsonList } from '#api/present/json-list.ts'
import { type DecodedItem, poolItems } from '#api/present/pool/pool-transaction.ts'
import { HashText } from '#api/schema/values.ts'

const KnownTransaction = object({
  hash: HashText,
  isReceivedFromLocalSource: boolean(),
  addedToPoolAt: string(),
}).meta({ title: 'known transaction' })

export default defineMethod({
  name: 'txpool_clientTransactions',
  aliases: ['txpool_besuTransactions'],
  summary: 'The transactions of the pool in order of arrival: hash, whether local, and time.',
  needs: ['pool'],
  cost: 'medium',
  params: {},
  result: array(KnownTransaction),
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

/** ISO 8601; as in Besu, without a zero fraction. */
function instant(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('.000Z', 'Z')
}

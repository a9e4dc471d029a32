/** Methods that show the pool by class, sender and nonce, as streamed JSON text. */
import { object, record, string, type ZodType } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import {
  type DecodedItem,
  itemsOf,
  poolItems,
  presentPoolTransaction,
  TYPE_NAMES,
} from '#api/present/pool/pool-transaction.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { PoolTransactionResult } from '#api/schema/pool/pool-results.ts'
import { Address } from '#api/schema/values.ts'
import type { Method } from '#jsonrpc/method.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { formatWei } from '#types/wei.ts'

/** In decimal. */
const ByNonce = record(string(), PoolTransactionResult)

function showing(
  name: string,
  shown: { byNonce: ZodType; title: string; show: Show },
  summary: string,
): Method {
  const bySender = record(string(), shown.byNonce)
  return defineMethod({
    name,
    summary,
    needs: ['pool'],
    cost: 'medium',
    params: {},
    result: object({ pending: bySender, queued: bySender }).meta({ title: shown.title }),
    run: ({ pool }) => inChunks(contentText(poolItems(pool), shown.show)),
  })
}

export const txpool_content = showing(
  'txpool_content',
  { byNonce: ByNonce, title: 'pool content', show: presentPoolTransaction },
  'The transactions of the pool, pending and queued, by sender and nonce.',
)

export const txpool_contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  summary: 'The transactions of one sender in the pool, pending and queued, by nonce.',
  needs: ['pool'],
  cost: 'medium',
  params: { sender: Address },
  result: object({ pending: ByNonce, queued: ByNonce }).meta({ title: 'content of a sender' }),
  async *run({ pool }, { sender }) {
    const own = await Array.fromAsync(itemsOf(pool, sender))
    yield '{"pending":'
    yield* inChunks(noncesText(own, true, presentPoolTransaction))
    yield ',"queued":'
    yield* inChunks(noncesText(own, false, presentPoolTransaction))
    yield '}'
  },
})

export const txpool_inspect = showing(
  'txpool_inspect',
  { byNonce: record(string(), string()), title: 'pool lines', show: poolLine },
  'The transactions of the pool by sender and nonce, each as a line of text.',
)

type Show = (decoded: DecodedItem) => unknown | Promise<unknown>

/** `{"pending":{sender:{nonce:…}},"queued":{…}}` */
async function* contentText(
  items: AsyncIterable<DecodedItem>,
  show: Show,
): AsyncGenerator<string, void, undefined> {
  const bySender = Map.groupBy(await Array.fromAsync(items), ({ item }) => item.sender)
  for (const [opening, isPending] of [
    ['{"pending":{', true],
    ['},"queued":{', false],
  ] as const) {
    yield opening
    let isFirst = true
    for (const [sender, own] of bySender) {
      if (!own.some(({ item }) => item.isPending === isPending)) continue
      yield `${isFirst ? '' : ','}${JSON.stringify(sender)}:`
      yield* noncesText(own, isPending, show)
      isFirst = false
    }
  }
  yield '}}'
}

async function* noncesText(
  own: readonly DecodedItem[],
  isPending: boolean,
  show: Show,
): AsyncGenerator<string, void, undefined> {
  const sorted = own
    .filter(({ item }) => item.isPending === isPending)
    .sort((a, b) => (a.transaction.nonce < b.transaction.nonce ? -1 : 1))
  yield '{'
  for (const [index, decoded] of sorted.entries()) {
    yield `${index === 0 ? '' : ','}"${decoded.transaction.nonce}":${JSON.stringify(await show(decoded))}`
  }
  yield '}'
}

/** Besu's maximum. */
const MAX_SCORE = 127

/** A transaction on one line, in Besu's format. */
function poolLine({ item, transaction }: DecodedItem): string {
  const { arrival, arrivedAtMs, isLocal, hasPriority, timeouts, sender } = item
  const { hash, nonce, gasLimit, value, to, type } = transaction
  const kind = type === 3 ? 'Blob' : to === null ? 'ContractCreation' : 'MessageCall'
  const words = `${kind}, ${nonce}, ${sender}, ${TYPE_NAMES[type]}, ${feesOf(transaction)}`
  const call = `gl: ${gasLimit}, v: ${formatWei(value)}, ${to === null ? '' : `to: ${to}`}`
  return `{sequence: ${arrival}, addedAt: ${arrivedAtMs}, isLocal=${isLocal}, hasPriority=${hasPriority}, score=${MAX_SCORE - timeouts}, ${hash}={${words}${call}}}`
}

function feesOf(transaction: Transaction): string {
  if ('gasPrice' in transaction) return `gp: ${formatWei(transaction.gasPrice)}, `
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const fees = `mf: ${formatWei(maxFeePerGas)}, pf: ${formatWei(maxPriorityFeePerGas)}, `
  if (transaction.type === 3) {
    return `${fees}df: ${formatWei(transaction.maxFeePerBlobGas)}, b: ${transaction.blobVersionedHashes.length}, `
  }
  return transaction.type === 4 ? `${fees}cd: ${transaction.authorizationList.length}, ` : fees
}

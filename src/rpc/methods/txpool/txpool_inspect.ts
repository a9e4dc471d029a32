import { defineMethod } from '#rpc/define-method.ts'
import { contentText } from '#rpc/present/pool/pool-content.ts'
import { type DecodedItem, poolItems, TYPE_NAMES } from '#rpc/present/pool/pool-transaction.ts'
import { PoolLinesResult } from '#rpc/schema/pool/pool-results.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { formatWei } from '#types/wei.ts'

export default defineMethod({
  name: 'txpool_inspect',
  summary: 'The transactions of the pool by sender and nonce, each as a line of text.',
  needs: ['pool'],
  cost: 'medium',
  params: {},
  result: PoolLinesResult,
  run: ({ pool }) => contentText(poolItems(pool), poolLine),
})

/** Besu's highest. */
const MAX_SCORE = 127

/** A transaction of the pool on one line, in Besu's own form. */
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

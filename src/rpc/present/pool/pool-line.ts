/** A transaction of the pool on one line, as txpool_inspect shows it: Besu's own form. */
import type { Transaction } from '#types/transaction/transaction.ts'
import { formatWei } from '#types/wei.ts'
import { type DecodedItem, TYPE_NAMES } from './pool-transaction.ts'

/** Besu's highest. */
const MAX_SCORE = 127

export function poolLine({ item, transaction }: DecodedItem): string {
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

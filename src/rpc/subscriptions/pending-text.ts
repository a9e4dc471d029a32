/** A transaction that waits, on the wire of subscriptions: fewer members than one of a block, in Besu's order. */

import type { PendingTransaction } from '#rpc/live-ports.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { transactionV } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

export function pendingTransactionText({ encoded, sender }: PendingTransaction): string {
  const transaction = decodeTransaction(encoded)
  const { type, yParity, r, s } = transaction
  return JSON.stringify({
    from: sender,
    gas: formatQuantity(transaction.gasLimit),
    gasPrice: 'gasPrice' in transaction ? formatQuantity(transaction.gasPrice) : undefined,
    hash: transaction.hash,
    input: formatData(transaction.data),
    nonce: formatQuantity(transaction.nonce),
    to: transaction.to ?? undefined,
    type: formatQuantity(type),
    value: formatQuantity(transaction.value),
    yParity: type === 0 ? undefined : formatQuantity(yParity),
    v: formatQuantity(transactionV(transaction, yParity)),
    r: formatQuantity(r),
    s: formatQuantity(s),
  })
}

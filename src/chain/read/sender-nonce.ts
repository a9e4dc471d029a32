/** Finds a transaction by sender and nonce through the nonce history; there is no index for it. */
import type { Address } from '#types/address.ts'
import { addressToBytes } from '#types/address.ts'
import type { ChainView } from './chain-view.ts'
import type { TransactionInBlock } from './lookup.ts'

/** Returns undefined if there is none up to the head, or if its block is below the lowest kept state. */
export function findBySenderAndNonce(
  chain: ChainView,
  sender: Address,
  nonce: bigint,
): TransactionInBlock | undefined {
  const head = chain.head()
  const number = firstBlockAbove(chain, Number(head.header.number), addressToBytes(sender), nonce)
  const known = number === undefined ? undefined : chain.lookup.block(number)
  const receipts = known && chain.lookup.receipts(known.hash)
  if (known === undefined || receipts === undefined) return undefined
  const index = known.block.transactions.findIndex(
    (transaction, at) => transaction.nonce === nonce && receipts[at]!.sender === sender,
  )
  const transaction = known.block.transactions[index]
  return transaction && { known: { hash: known.hash, header: known.block.header }, index, transaction }
}

/** The first block after which the account's nonce is above the given one. */
function firstBlockAbove(
  chain: ChainView,
  head: number,
  address: Uint8Array,
  nonce: bigint,
): number | undefined {
  const isAbove = (number: number): boolean => (chain.stateAt(number).account(address)?.nonce ?? 0n) > nonce
  let low = chain.lowestState()
  let high = head
  if (!isAbove(high) || isAbove(low)) return undefined
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isAbove(middle)) high = middle
    else low = middle
  }
  return high
}

import type { Crypto } from '#evm/crypto.ts'
import { recoverOne } from '#pool/prepare-submission.ts'
import type { Address } from '#types/address.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

/** The senders of each block; empty if one cannot be recovered, since the writer then reports which. */
export async function recoverSenders(
  blocks: readonly (readonly Transaction[])[],
  crypto: Crypto,
): Promise<readonly (readonly Address[])[]> {
  const beside = await crypto.recoverBeside?.(blocks.flat())
  let at = 0
  return blocks.map((transactions) => {
    const senders: Address[] = []
    for (const transaction of transactions) {
      const sender = beside === undefined ? recoverOne(transaction, crypto) : beside[at++]
      if (sender !== undefined) senders.push(sender)
    }
    return senders.length === transactions.length ? senders : []
  })
}

import type { ChainView } from '#chain/read/chain-view.ts'
import type { HeadChange } from '#chain/write/head-change.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import type { Log } from '#platform/log/log.ts'
import { formatData } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

/** Main reads and logs them, so a full block must not occupy it. */
const MAX_LOGGED = 100
const SELECTOR_BYTES = 4

/** Logs what became of each transaction: developers look for the one that failed. */
export function logTransactions(
  { lookup }: Pick<ChainView, 'lookup'>,
  { added }: Pick<HeadChange, 'added'>,
  log: Log,
): void {
  for (const { number, hash } of added.slice(-MAX_LOGGED)) {
    const [known, receipts] = [lookup.block(hash), lookup.receipts(hash)]
    if (known === undefined || receipts === undefined) continue
    const { transactions } = known.block
    let gasBefore = 0n
    for (const [index, transaction] of transactions.slice(0, MAX_LOGGED).entries()) {
      const { outcome, cumulativeGasUsed, revertReason, sender } = receipts[index]!
      log.info('Transaction included', {
        status: outcome === 0 ? 'failed' : 'success',
        hash: transaction.hash,
        from: sender,
        to: transaction.to ?? 'new contract',
        method: methodOf(transaction),
        gasUsed: Number(cumulativeGasUsed - gasBefore),
        block: number,
        ...(outcome === 0 && { reason: reasonOf(revertReason) }),
      })
      gasBefore = cumulativeGasUsed
    }
    if (transactions.length > MAX_LOGGED) {
      log.info('Included further transactions', {
        block: number,
        transactions: transactions.length - MAX_LOGGED,
      })
    }
  }
}

/** The selector of the called function. */
function methodOf({ to, data }: Transaction): string {
  if (to === null) return 'creation'
  return data.length < SELECTOR_BYTES ? 'transfer' : formatData(data.subarray(0, SELECTOR_BYTES))
}

/** Without revert data, the gas ran out or an instruction was invalid. */
function reasonOf(data: Uint8Array | undefined): string {
  if (data === undefined) return 'out of gas or an invalid instruction'
  if (data.length === 0) return 'reverted without a reason'
  return decodeRevertReason(data) ?? formatData(data)
}

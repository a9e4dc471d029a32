import type { ChainView } from '#chain/read/chain-view.ts'
import { countIncluded, type HeadChange } from '#chain/write/head-change.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import type { Log } from '#platform/log/log.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

/** Main reads and logs them, so larger blocks are only counted. */
const MAX_LOGGED = 32
const SELECTOR_BYTES = 4

/** Logs what became of each transaction: developers look for the one that failed. */
export function logTransactions(
  { lookup }: Pick<ChainView, 'lookup'>,
  { added }: Pick<HeadChange, 'added'>,
  log: Log,
): void {
  for (const { number, hash, included } of added) {
    if (included?.length === 0) continue
    if (included !== undefined && countIncluded(included) <= MAX_LOGGED) logEach(lookup, hash, log)
    else log.info('Block with many transactions included', { number, hash })
  }
}

function logEach(lookup: ChainView['lookup'], block: Hash, log: Log): void {
  const [known, receipts] = [lookup.block(block), lookup.receipts(block)]
  if (known === undefined || receipts === undefined) return
  let gasBefore = 0n
  for (const [index, transaction] of known.block.transactions.entries()) {
    const { outcome, cumulativeGasUsed, revertReason, sender } = receipts[index]!
    log.info('Transaction included', {
      status: outcome === 0 ? 'failed' : 'success',
      hash: transaction.hash,
      from: sender,
      to: transaction.to ?? 'new contract',
      method: methodOf(transaction),
      gasUsed: Number(cumulativeGasUsed - gasBefore),
      block: Number(known.block.header.number),
      ...(outcome === 0 && { reason: reasonOf(revertReason) }),
    })
    gasBefore = cumulativeGasUsed
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

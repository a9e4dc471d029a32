/** A transaction of the pool on one line, as txpool_inspect shows it: Besu's own form. */
import type { Transaction } from '#types/transaction/transaction.ts'
import { type DecodedItem, TYPE_NAMES } from './pool-transaction.ts'

const UNITS = [
  'wei',
  'kwei',
  'mwei',
  'gwei',
  'szabo',
  'finney',
  'ether',
  'kether',
  'mether',
  'gether',
  'tether',
] as const
/** Besu's highest. */
const MAX_SCORE = 127

export function poolLine({ item, transaction }: DecodedItem): string {
  const { arrival, arrivedAtMs, isLocal, hasPriority, timeouts, sender } = item
  const { hash, nonce, gasLimit, value, to, type } = transaction
  const kind = type === 3 ? 'Blob' : to === null ? 'ContractCreation' : 'MessageCall'
  const words = `${kind}, ${nonce}, ${sender}, ${TYPE_NAMES[type]}, ${feesOf(transaction)}`
  const call = `gl: ${gasLimit}, v: ${amount(value)}, ${to === null ? '' : `to: ${to}`}`
  return `{sequence: ${arrival}, addedAt: ${arrivedAtMs}, isLocal=${isLocal}, hasPriority=${hasPriority}, score=${MAX_SCORE - timeouts}, ${hash}={${words}${call}}}`
}

function feesOf(transaction: Transaction): string {
  if ('gasPrice' in transaction) return `gp: ${amount(transaction.gasPrice)}, `
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const fees = `mf: ${amount(maxFeePerGas)}, pf: ${amount(maxPriorityFeePerGas)}, `
  if (transaction.type === 3) {
    return `${fees}df: ${amount(transaction.maxFeePerBlobGas)}, b: ${transaction.blobVersionedHashes.length}, `
  }
  return transaction.type === 4 ? `${fees}cd: ${transaction.authorizationList.length}, ` : fees
}

/** In the first unit of which it is below a million. */
function amount(wei: bigint): string {
  const digits = String(wei).length
  const unit = Math.min(Math.max(0, Math.ceil((digits - 3) / 3)), UNITS.length - 1)
  if (unit === 0) return `${wei} ${UNITS[0]}`
  const hundredths = roundedHundredths(wei, 10n ** BigInt(3 * unit))
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')} ${UNITS[unit]}`
}

function roundedHundredths(wei: bigint, unit: bigint): bigint {
  return (wei * 100n + unit / 2n) / unit
}

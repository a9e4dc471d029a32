import type { OfferedTransaction } from '#plugins/define-plugin.ts'
import type { SentTransaction } from '#plugins/plugin-protocol.ts'
import { formatData } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

const SELECTOR_BYTES = 4
/** The hash is known, and not computed again. */
const NO_HASH = new Uint8Array(32)

/** A transaction for an admission rule. Its value and data are decoded here, on the plugin's time, when a rule reads them. */
export function offeredTransaction({ encoded, ...known }: SentTransaction): OfferedTransaction {
  let decoded: Transaction | undefined
  const contents = (): Transaction => {
    decoded ??= decodeTransaction(encoded, () => NO_HASH)
    return decoded
  }
  return {
    ...known,
    get value() {
      return contents().value
    },
    get data() {
      return formatData(contents().data)
    },
    get selector() {
      const { to, data } = contents()
      return to === null || data.length < SELECTOR_BYTES
        ? undefined
        : formatData(data.subarray(0, SELECTOR_BYTES))
    },
  }
}

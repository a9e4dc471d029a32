import type { Address } from '#types/address.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'

const RECEIVER = parseAddress('77'.repeat(20))
const GAS_PRICE_WEI = 10_000_000_000n

export interface TransferTerms {
  readonly to?: Address | null
  readonly data?: Uint8Array
  readonly gasLimit?: bigint
  readonly chainId?: bigint
  readonly gasPrice?: bigint
}

/** A raw transfer of one wei, by default on the test chain. */
export function signedTransfer(
  { privateKey }: { readonly privateKey: string },
  nonce: bigint,
  {
    to = RECEIVER,
    data = new Uint8Array(0),
    gasLimit = 21_000n,
    chainId = 1337n,
    gasPrice = GAS_PRICE_WEI,
  }: TransferTerms = {},
): string {
  const value = to === null ? 0n : 1n
  const unsigned = { type: 0, chainId, nonce, to, data, gasPrice, gasLimit, value } as const
  return formatData(signTransaction(unsigned, parseData(privateKey)).encoded)
}

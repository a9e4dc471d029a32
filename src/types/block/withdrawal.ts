/** EIP-4895: a withdrawal from the beacon chain. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { encodeRlp, listFromRlp, type RlpItem, rlpScalar, scalarFromRlp } from '#types/rlp.ts'

export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  readonly amountGwei: bigint
}

const UINT64_BYTES = 8

export function withdrawalFromRlp(item: RlpItem): Withdrawal {
  const fields = listFromRlp(item, 4)
  return {
    index: scalarFromRlp(fields[0]!, UINT64_BYTES),
    validatorIndex: scalarFromRlp(fields[1]!, UINT64_BYTES),
    address: addressFromRlp(fields[2]!),
    amountGwei: scalarFromRlp(fields[3]!, UINT64_BYTES),
  }
}

export function encodeWithdrawal({ index, validatorIndex, address, amountGwei }: Withdrawal): Uint8Array {
  return encodeRlp([
    rlpScalar(index),
    rlpScalar(validatorIndex),
    addressToBytes(address),
    rlpScalar(amountGwei),
  ])
}

/** Blocks and attributes as consensus clients send and receive them. */
import { array, object, type output, string } from 'zod'
import type { PayloadAttributes } from '#engine-api/contract.ts'
import { BLOOM_BYTES } from '#types/block/bloom.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import { MAX_UINT64, MAX_UINT256 } from '#types/bytes.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { AmountWire } from './call-object.ts'
import { WithdrawalResult } from './results.ts'
import { AddressText, AddressWire, DataText, HashText, HashWire, parsedBy, QuantityText } from './values.ts'

/** More than the rules allow, so that they refuse the block and give the reason. */
const MAX_READ_EXTRA_BYTES = 1_024

const quantityUpTo = (max: bigint) => AmountWire.refine((value) => value <= max)

export const Uint64Wire = quantityUpTo(MAX_UINT64)

const bytesUpTo = (maxBytes: number) =>
  string()
    .meta({ title: 'data parameter', description: '0x and two hex digits per byte' })
    .transform(parsedBy((text) => parseData(text, maxBytes)))

export const WithdrawalWire = object({
  index: Uint64Wire,
  validatorIndex: Uint64Wire,
  address: AddressWire,
  amount: Uint64Wire,
}).transform(({ amount, ...rest }): Withdrawal => ({ ...rest, amountGwei: amount }))

/** Members of later forks are absent or null. */
export const PayloadWire = object({
  parentHash: HashWire,
  feeRecipient: AddressWire,
  stateRoot: HashWire,
  receiptsRoot: HashWire,
  logsBloom: bytesUpTo(BLOOM_BYTES).refine(({ length }) => length === BLOOM_BYTES),
  prevRandao: HashWire,
  blockNumber: Uint64Wire,
  gasLimit: Uint64Wire,
  gasUsed: Uint64Wire,
  timestamp: Uint64Wire,
  extraData: bytesUpTo(MAX_READ_EXTRA_BYTES),
  baseFeePerGas: quantityUpTo(MAX_UINT256),
  blockHash: HashWire,
  transactions: array(string()),
  withdrawals: array(WithdrawalWire).nullish(),
  blobGasUsed: Uint64Wire.nullish(),
  excessBlobGas: Uint64Wire.nullish(),
}).meta({ title: 'execution payload parameter' })

export type Payload = output<typeof PayloadWire>

export const PayloadResult = object({
  parentHash: HashText,
  feeRecipient: AddressText,
  stateRoot: HashText,
  receiptsRoot: HashText,
  logsBloom: DataText,
  prevRandao: HashText,
  blockNumber: QuantityText,
  gasLimit: QuantityText,
  gasUsed: QuantityText,
  timestamp: QuantityText,
  extraData: DataText,
  baseFeePerGas: QuantityText,
  blockHash: HashText,
  transactions: array(DataText),
  withdrawals: array(WithdrawalResult).optional(),
  blobGasUsed: QuantityText.optional(),
  excessBlobGas: QuantityText.optional(),
})

export const BlobsBundleResult = object({
  commitments: array(DataText),
  proofs: array(DataText),
  blobs: array(DataText),
})

export const AttributesWire = object({
  timestamp: Uint64Wire,
  prevRandao: HashWire,
  suggestedFeeRecipient: AddressWire,
  withdrawals: array(WithdrawalWire).nullish(),
  parentBeaconBlockRoot: HashWire.nullish(),
}).meta({ title: 'payload attributes' })

export type Attributes = output<typeof AttributesWire>

export function attributesOf({ withdrawals, parentBeaconBlockRoot, ...rest }: Attributes): PayloadAttributes {
  return {
    ...rest,
    withdrawals: withdrawals ?? [],
    parentBeaconBlockRoot: parentBeaconBlockRoot ?? ZERO_HASH,
  }
}

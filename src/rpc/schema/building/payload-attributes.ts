/** What a block that testing_buildBlockV1 builds is to be. Members that are not known are ignored. */
import { array, object, type ZodType } from 'zod'
import { Param } from '#rpc/param.ts'
import { AddressWire } from '#rpc/schema/address.ts'
import { CountWire } from '#rpc/schema/call-object.ts'
import { HashWire } from '#rpc/schema/hash.ts'
import type { Address } from '#types/address.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'

export interface PayloadAttributes {
  /** Seconds; undefined or 0n: not given. */
  readonly timestamp: bigint | undefined
  readonly prevRandao: Hash
  readonly feeRecipient: Address | undefined
  readonly withdrawals: readonly Withdrawal[]
  readonly parentBeaconBlockRoot: Hash
}

const WithdrawalWire = object({
  index: CountWire,
  validatorIndex: CountWire,
  address: AddressWire,
  amount: CountWire,
}).transform(({ amount, ...rest }): Withdrawal => ({ ...rest, amountGwei: amount }))

const AttributesWire: ZodType<PayloadAttributes> = object({
  timestamp: CountWire.nullish(),
  prevRandao: HashWire,
  suggestedFeeRecipient: AddressWire.nullish(),
  withdrawals: array(WithdrawalWire).nullish(),
  parentBeaconBlockRoot: HashWire.nullish(),
})
  .transform(
    (members): PayloadAttributes => ({
      timestamp: members.timestamp ?? undefined,
      prevRandao: members.prevRandao,
      feeRecipient: members.suggestedFeeRecipient ?? undefined,
      withdrawals: members.withdrawals ?? [],
      parentBeaconBlockRoot: members.parentBeaconBlockRoot ?? ZERO_HASH,
    }),
  )
  .meta({ title: 'payload attributes' })

export const Attributes = new Param(AttributesWire, 'INVALID_PARAMS')

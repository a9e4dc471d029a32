/** What a request wants a simulated block to be. Members that are not known are ignored. */
import { object, string, type ZodType } from 'zod'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { AddressWire } from './address.ts'
import { AmountWire, CountWire, WordHashWire } from './call-object.ts'
import { parsedBy } from './parsed-text.ts'

export interface BlockOverrides {
  readonly number?: bigint | undefined
  /** Seconds. */
  readonly time?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly feeRecipient?: Address | undefined
  /** Also as mixHash, which wins. */
  readonly prevRandao?: Hash | undefined
  readonly baseFeePerGas?: bigint | undefined
  readonly blobBaseFee?: bigint | undefined
  readonly difficulty?: bigint | undefined
  readonly extraData?: Uint8Array | undefined
  readonly hash?: Hash | undefined
  readonly stateRoot?: Hash | undefined
  readonly parentBeaconBlockRoot?: Hash | undefined
}

/** As large as extra data of any network is read. */
const MAX_EXTRA_DATA_BYTES = 1024 * 1024

export const BlockOverridesWire: ZodType<BlockOverrides> = object({
  number: CountWire.nullish(),
  time: CountWire.nullish(),
  gasLimit: CountWire.nullish(),
  feeRecipient: AddressWire.nullish(),
  prevRandao: WordHashWire.nullish(),
  mixHash: WordHashWire.nullish(),
  baseFeePerGas: AmountWire.nullish(),
  blobBaseFee: AmountWire.nullish(),
  difficulty: AmountWire.nullish(),
  extraData: string()
    .transform(parsedBy((text) => parseData(text, MAX_EXTRA_DATA_BYTES)))
    .nullish(),
  hash: WordHashWire.nullish(),
  stateRoot: WordHashWire.nullish(),
  parentBeaconBlockRoot: WordHashWire.nullish(),
})
  .transform(({ mixHash, prevRandao, ...members }): BlockOverrides => {
    const present = Object.entries(members).filter(([, value]) => value != null)
    return { ...Object.fromEntries(present), prevRandao: mixHash ?? prevRandao ?? undefined }
  })
  .meta({ title: 'block overrides' })

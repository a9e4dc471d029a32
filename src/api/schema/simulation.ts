/** The parameters of eth_simulateV1. Unknown members are ignored. */

import { array, boolean, object, type output, string } from 'zod'
import { Param } from '#jsonrpc/method.ts'
import { parseData } from '#types/hex.ts'
import { AmountWire, CountWire, SimulatedCallWire, StateOverridesWire, WordHashWire } from './call-object.ts'
import { AddressWire, parsedBy } from './values.ts'

/** The maximum extra data of any network. */
const MAX_EXTRA_DATA_BYTES = 1024 * 1024

const Members = object({
  number: CountWire.nullish(),
  /** In seconds. */
  time: CountWire.nullish(),
  gasLimit: CountWire.nullish(),
  feeRecipient: AddressWire.nullish(),
  prevRandao: WordHashWire.nullish(),
  /** An alias of `prevRandao`, which takes precedence. */
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

type GivenMembers = Omit<output<typeof Members>, 'mixHash'>

export type BlockOverrides = {
  readonly [Name in keyof GivenMembers]?: NonNullable<GivenMembers[Name]> | undefined
}

export const BlockOverridesWire = Members.transform(({ mixHash, prevRandao, ...members }): BlockOverrides => {
  const present = Object.entries(members).filter(([, value]) => value != null)
  return { ...Object.fromEntries(present), prevRandao: mixHash ?? prevRandao ?? undefined }
}).meta({ title: 'block overrides' })

const BlockWire = object({
  blockOverrides: BlockOverridesWire.nullish(),
  stateOverrides: StateOverridesWire.nullish(),
  calls: array(SimulatedCallWire).nullish(),
}).transform(({ blockOverrides, stateOverrides, calls }) => ({
  block: blockOverrides ?? {},
  state: stateOverrides ?? undefined,
  calls: calls ?? [],
}))

export type BlockStateCall = Readonly<output<typeof BlockWire>>

const SimulationWire = object({
  blockStateCalls: array(BlockWire),
  validation: boolean().nullish(),
  traceTransfers: boolean().nullish(),
  returnFullTransactions: boolean().nullish(),
  returnTrieLog: boolean().nullish(),
})
  .transform((members) => ({
    blocks: members.blockStateCalls,
    isValidated: members.validation ?? false,
    tracesTransfers: members.traceTransfers ?? false,
    returnsFullTransactions: members.returnFullTransactions ?? false,
    returnsTrieLog: members.returnTrieLog ?? false,
  }))
  .meta({ title: 'simulation' })

export type SimulationRequest = Readonly<output<typeof SimulationWire>>

export const Simulation = new Param(SimulationWire, 'INVALID_PARAMS')

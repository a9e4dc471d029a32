/** What a request wants the state to be before its calls run. Members that are not known are ignored. */
import { object, record, string, type ZodType } from 'zod'
import type { AccountOverride } from '#evm/simulate/overlay-state.ts'
import { Param } from '#rpc/param.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { parseDataLenient, parseQuantityLenient } from '#types/hex.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { AddressWire } from './address.ts'
import { AmountWire } from './call-object.ts'
import { parsedBy } from './parsed-text.ts'

export interface StateOverrides {
  readonly accounts: ReadonlyMap<Address, AccountOverride>
  /** Precompiles that stand elsewhere: from where to where. */
  readonly movedPrecompiles: ReadonlyMap<Address, Address>
}

const SlotsWire = record(string(), string()).transform(
  parsedBy((slots): ReadonlyMap<Hash, Hash> => {
    const words = new Map<Hash, Hash>()
    for (const [slot, value] of Object.entries(slots)) words.set(parseWord(slot), parseWord(value))
    return words
  }),
)

const AccountWire = object({
  balance: AmountWire.nullish(),
  nonce: AmountWire.refine((nonce) => nonce <= MAX_NONCE).nullish(),
  code: string()
    .transform(parsedBy((text) => parseDataLenient(text)))
    .nullish(),
  state: SlotsWire.nullish(),
  stateDiff: SlotsWire.nullish(),
  movePrecompileToAddress: AddressWire.nullish(),
})

export const StateOverridesWire: ZodType<StateOverrides> = record(string(), AccountWire)
  .transform(
    parsedBy((members): StateOverrides => {
      const accounts = new Map<Address, AccountOverride>()
      const movedPrecompiles = new Map<Address, Address>()
      for (const [key, override] of Object.entries(members)) {
        const address = parseAddress(key)
        const { balance, nonce, code, state, stateDiff, movePrecompileToAddress: target } = override
        if (state != null && stateDiff != null) {
          const sentence = `The override of ${address} has both state and stateDiff.`
          throw new Fault('INVALID_OVERRIDE', { sentence })
        }
        accounts.set(address, {
          balance: balance ?? undefined,
          nonce: nonce ?? undefined,
          code: code ?? undefined,
          state: state ?? undefined,
          stateDiff: stateDiff ?? undefined,
        })
        if (target != null) movedPrecompiles.set(address, target)
      }
      return { accounts, movedPrecompiles }
    }),
  )
  .meta({ title: 'state overrides', description: 'address -> nonce, balance, code, state or stateDiff' })

export const StateOverride = new Param(StateOverridesWire, 'INVALID_CALL_PARAMS').optional()

/** A word by its value: short ones are padded. */
function parseWord(text: string): Hash {
  return hashFromBytes(bigintToBytes(parseQuantityLenient(text.startsWith('0x') ? text : `0x${text}`), 32))
}

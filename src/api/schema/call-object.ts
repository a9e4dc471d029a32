/** An unsigned call. Unknown members are ignored. */

import { array, boolean, number, object, record, string, union, type ZodType } from 'zod'
import type { CallAuthorization, CallRequest } from '#evm/simulate/call-request.ts'
import type { AccountOverride } from '#evm/simulate/overlay-state.ts'
import { Param } from '#jsonrpc/method.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { bigintToBytes, equalBytes, MAX_UINT64 } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes, parseHash } from '#types/hash.ts'
import { parseData, parseDataLenient, parseQuantityLenient } from '#types/hex.ts'
import type { AccessListEntry } from '#types/transaction/access-list.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { quickCall } from './quick-values.ts'
import { AddressWire, parsedBy } from './values.ts'

const MAX_INT64 = 2n ** 63n - 1n

/** A hex number with or without leading zeros; as in Besu, 0x is optional. JSON numbers are accepted. */
export const AmountWire: ZodType<bigint> = union([
  string().transform(parsedBy((text) => parseQuantityLenient(text.startsWith('0x') ? text : `0x${text}`))),
  number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).transform(BigInt),
]).meta({ title: 'amount', description: '0x and a hex number, or a JSON number' })

/** As in Besu, a larger number counts as the maximum. */
export const CountWire: ZodType<bigint> = AmountWire.transform((value) => {
  if (value > MAX_INT64) return MAX_INT64
  return value
})

export const WordHashWire = string()
  .meta({ title: 'word', description: '64 hex digits, with or without 0x' })
  .transform(parsedBy(parseHash))

const DataWire = string()
  .meta({ title: 'data parameter', description: '0x and two hex digits per byte' })
  .transform(parsedBy((text) => parseData(text)))

const AccessListWire = array(
  object({ address: AddressWire, storageKeys: array(WordHashWire) }).transform(
    (entry): AccessListEntry => entry,
  ),
)

/** A placeholder signature for an authority that is merely named. */
const NO_SIGNATURE = { yParity: 0, r: 1n, s: 1n }

const AuthorizationWire = object({
  chainId: AmountWire,
  address: AddressWire,
  nonce: AmountWire.refine((nonce) => nonce <= MAX_UINT64, 'a nonce has at most 64 bits'),
  r: AmountWire.nullish(),
  s: AmountWire.nullish(),
  v: AmountWire.nullish(),
  yParity: AmountWire.nullish(),
  authority: AddressWire.nullish(),
}).transform(
  parsedBy(({ chainId, address, nonce, r, s, v, yParity, authority }): CallAuthorization => {
    const parity = v ?? yParity
    const signed = { chainId, address, nonce }
    if (authority != null) {
      if ((r ?? s ?? parity) == null) return { ...signed, ...NO_SIGNATURE, authority }
      throw invalid('An authorization names its authority or carries a signature, and not both.')
    }
    if (r == null || s == null || parity == null || parity > 255n) {
      throw invalid('An authorization needs r, s and yParity, or an authority.')
    }
    return { ...signed, r, s, yParity: Number(parity) }
  }),
)

const MEMBERS = {
  from: AddressWire.nullish(),
  to: AddressWire.nullish(),
  gas: CountWire.nullish(),
  gasPrice: AmountWire.nullish(),
  maxFeePerGas: AmountWire.nullish(),
  maxPriorityFeePerGas: AmountWire.nullish(),
  maxFeePerBlobGas: AmountWire.nullish(),
  value: AmountWire.nullish(),
  input: DataWire.nullish(),
  data: DataWire.nullish(),
  nonce: CountWire.nullish(),
  chainId: AmountWire.nullish(),
  accessList: AccessListWire.nullish(),
  blobVersionedHashes: array(WordHashWire).nullish(),
  authorizationList: array(AuthorizationWire).nullish(),
  strict: boolean().nullish(),
}

type Members = { readonly [Name in keyof typeof MEMBERS]?: ReturnType<(typeof MEMBERS)[Name]['parse']> }

const CallWire: ZodType<CallRequest> = object(MEMBERS)
  .transform(
    parsedBy((members) => {
      const { input, data } = members
      if (input != null && data != null && !equalBytes(input, data)) {
        throw invalid('The members input and data are the same thing, and differ.')
      }
      return callOf(members)
    }),
  )
  .meta({ title: 'call' })

/** eth_simulateV1 uses `input` if both are given. */
export const SimulatedCallWire: ZodType<CallRequest> = object(MEMBERS)
  .transform(callOf)
  .meta({ title: 'call' })

export const CallObject = new Param(CallWire, 'INVALID_CALL_PARAMS', { isRequired: true, quick: quickCall })

function callOf(members: Members): CallRequest {
  const { input, data, authorizationList, ...rest } = members
  const present = Object.entries(rest).filter(([, value]) => value != null)
  return {
    ...(Object.fromEntries(present) as CallRequest),
    data: input ?? data ?? undefined,
    authorizations: authorizationList ?? undefined,
  }
}

function invalid(sentence: string): Fault<'INVALID_CALL'> {
  return new Fault('INVALID_CALL', { sentence })
}

/** The state that a request overrides before its calls run. Unknown members are ignored. */
export interface StateOverrides {
  readonly accounts: ReadonlyMap<Address, AccountOverride>
  /** Old address to new address. */
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

/** Short words are padded. */
function parseWord(text: string): Hash {
  return hashFromBytes(bigintToBytes(parseQuantityLenient(text.startsWith('0x') ? text : `0x${text}`), 32))
}

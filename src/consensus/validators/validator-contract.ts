/** Validators as a contract names them: the answer to getValidators() on the state after the block before. */
import { consensusFault } from '#consensus/faults.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import type { Engine } from '#evm/engine.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { rulesAt } from '#evm/rules.ts'
import { createStateLookup } from '#evm/state-lookup.ts'
import type { StateReader } from '#store/store.ts'
import { type Address, addressFromBytes, ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { bytesToBigint } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'

export interface ValidatorContractTools {
  readonly engine: Engine
  readonly config: GenesisConfig
}

/** The first four bytes of keccak of `getValidators()`. */
const GET_VALIDATORS = Uint8Array.of(0xb7, 0xab, 0x4d, 0xb5)
/** As Besu gives a call that names none; hundreds of validators take some hundred thousand. */
const CALL_GAS = 50_000_000n
const MAX_VALIDATORS = 10_000
const WORD = 32

/** Faults where the contract does not name at least one. Sorted. */
export async function validatorsInContract(
  { engine, config }: ValidatorContractTools,
  contract: Address,
  header: BlockHeader,
  state: StateReader,
): Promise<readonly Address[]> {
  const rules = rulesAt(config, header)
  using session = engine.open(
    blockEnvironment(rules, header, header.coinbase),
    rules,
    createStateLookup({
      account: (address) => state.account(address),
      storage: (address, slot) => state.storage(address, slot),
      code: (hash) => state.code(hash),
      blockHash: () => undefined,
    }),
    {
      callTree: false,
      waivers: { nonce: true, balance: true, baseFee: true, senderCode: true, gasLimit: true },
    },
  )
  const call = { nonce: 0n, gasLimit: CALL_GAS, to: contract, value: 0n, data: GET_VALIDATORS }
  const transaction = { type: 0, chainId: null, gasPrice: 0n, ...call } as const
  const { outcomes, refusal } = await session.run([{ transaction, sender: ZERO_ADDRESS }])
  const outcome = outcomes[0] && decodeOutcome(outcomes[0])
  if (outcome === undefined) throw failed(contract, header, refusal?.sentence ?? 'The call was not executed.')
  if (!outcome.isSuccess) throw failed(contract, header, `The call ended with ${outcome.error}.`)
  const validators = decodeAddresses(outcome.output)
  if (validators === undefined) throw failed(contract, header, 'The answer is no list of addresses.')
  if (validators.length === 0) throw failed(contract, header, 'The list is empty.')
  return [...new Set(validators)].sort()
}

/** `address[]` of the ABI: where the list is, how long it is, and a word for each. */
function decodeAddresses(output: Uint8Array): Address[] | undefined {
  const at = wordAt(output, 0)
  const count = at === undefined ? undefined : wordAt(output, at)
  if (at === undefined || count === undefined || count > MAX_VALIDATORS) return undefined
  const addresses: Address[] = []
  for (let index = 1; index <= count; index++) {
    const from = at + index * WORD
    if (from + WORD > output.length) return undefined
    addresses.push(addressFromBytes(output.subarray(from + WORD - 20, from + WORD)))
  }
  return addresses
}

/** undefined: not there, or larger than any output. */
function wordAt(output: Uint8Array, from: number): number | undefined {
  if (from + WORD > output.length) return undefined
  const value = bytesToBigint(output.subarray(from, from + WORD))
  return value <= BigInt(output.length) ? Number(value) : undefined
}

function failed(contract: Address, { number }: BlockHeader, reason: string): Fault {
  const sentence = `The contract ${contract} does not name the validators after block ${number}. ${reason}`
  return consensusFault('VALIDATOR_CONTRACT_FAILED', { sentence })
}

/** The validators of each block, named by headers or by a contract. */
import type { KnownHeader } from '#chain/block/stages.ts'
import { bftSettingsAt } from '#consensus/bft/protocol-at.ts'
import { consensusFault } from '#consensus/faults.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import type { Engine } from '#evm/engine.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { rulesAt } from '#evm/rules.ts'
import { createStateLookup, withBlockHashes } from '#evm/state-lookup.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { StateReader } from '#store/store.ts'
import { type Address, addressFromBytes, ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { bytesToBigint } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { Hash } from '#types/hash.ts'
import { validatorsInHeader } from './header-votes.ts'
import { VoteHistory, type VoteHistoryTools } from './vote-history.ts'
import type { VoteTally } from './vote-tally.ts'

export interface ValidatorSetTools extends VoteHistoryTools {
  readonly engine: Engine
}

const MAX_NAMED = 128

export class ValidatorSets {
  readonly #tools: ValidatorSetTools
  readonly #history: VoteHistory
  /** Contract results after recent blocks: a proposal, its import and the next height ask for the same. */
  readonly #named = new BoundedMap<Hash, readonly Address[]>(MAX_NAMED)

  constructor(tools: ValidatorSetTools) {
    this.#tools = tools
    this.#history = new VoteHistory(tools)
  }

  /** Sorted validators of the block after `parent`. `parentState` is for a contract; throws a fault if it names none. */
  async after(parent: KnownHeader, parentState: () => StateReader): Promise<readonly Address[]> {
    const contract = this.contractAfter(parent.header)
    if (contract === undefined) return this.#history.after(parent).validators
    const known = this.#named.get(parent.hash)
    if (known !== undefined) return known
    const validators = await validatorsInContract(this.#tools, contract, parent.header, parentState())
    this.#named.set(parent.hash, validators)
    return validators
  }

  /** The validators of a block as in the QBFT API: listed in its header, or named by the contract after the block. */
  async inBlock(header: BlockHeader, state: () => StateReader): Promise<readonly Address[]> {
    const { config } = this.#tools
    const { validatorContract } = bftSettingsAt(config, header)
    if (validatorContract === undefined) return validatorsInHeader(config.consensus, header)
    return validatorsInContract(this.#tools, validatorContract, header, state())
  }

  /** The tally of header votes; undefined if a contract names the validators. */
  tallyAfter(parent: KnownHeader): VoteTally | undefined {
    return this.contractAfter(parent.header) === undefined ? this.#history.after(parent) : undefined
  }

  /** The contract for the block after this one. Transitions by time use the parent's timestamp. */
  contractAfter({ number, timestamp }: BlockHeader): Address | undefined {
    return bftSettingsAt(this.#tools.config, { number: number + 1n, timestamp }).validatorContract
  }
}

interface ValidatorContractTools {
  readonly engine: Engine
  readonly config: GenesisConfig
}

/** The first four bytes of keccak of `getValidators()`. */
const GET_VALIDATORS = Uint8Array.of(0xb7, 0xab, 0x4d, 0xb5)
/** Besu's default for calls; hundreds of validators take some hundred thousand. */
const CALL_GAS = 50_000_000n
const MAX_VALIDATORS = 10_000
const WORD = 32

/** Calls getValidators() on the state after the previous block. Throws a fault unless it names at least one. Sorted. */
async function validatorsInContract(
  { engine, config }: ValidatorContractTools,
  contract: Address,
  header: BlockHeader,
  state: StateReader,
): Promise<readonly Address[]> {
  const rules = rulesAt(config, header)
  using session = engine.open(
    blockEnvironment(rules, header, header.coinbase),
    rules,
    createStateLookup(withBlockHashes(state, () => undefined)),
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
  if (validators === undefined) throw failed(contract, header, 'The answer is not a list of addresses.')
  if (validators.length === 0) throw failed(contract, header, 'The list is empty.')
  return [...new Set(validators)].sort()
}

/** Decodes ABI `address[]`: offset, length, and a word for each. */
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

/** Returns undefined if the word is missing or larger than any output. */
function wordAt(output: Uint8Array, from: number): number | undefined {
  if (from + WORD > output.length) return undefined
  const value = bytesToBigint(output.subarray(from, from + WORD))
  return value <= BigInt(output.length) ? Number(value) : undefined
}

function failed(contract: Address, { number }: BlockHeader, reason: string): Fault {
  const sentence = `The contract ${contract} does not name the validators after block ${number}. ${reason}`
  return consensusFault('VALIDATOR_CONTRACT_FAILED', { sentence })
}

/** Who validates which block, whether headers name them or a contract does. */
import { bftSettingsAt } from '#consensus/bft/protocol-at.ts'
import type { Engine } from '#evm/engine.ts'
import type { StateReader } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { validatorsInHeader } from './header-votes.ts'
import { validatorsInContract } from './validator-contract.ts'
import { VoteHistory, type VoteHistoryTools } from './vote-history.ts'
import type { VoteTally } from './vote-tally.ts'

export interface ValidatorSetTools extends VoteHistoryTools {
  readonly engine: Engine
}

export interface SealedHeader {
  readonly hash: Hash
  readonly header: BlockHeader
}

const MAX_NAMED = 128

export class ValidatorSets {
  readonly #tools: ValidatorSetTools
  readonly #history: VoteHistory
  /** By contracts after recent blocks: a proposal, its import and the next height ask for the same. */
  readonly #named = new Map<Hash, readonly Address[]>()

  constructor(tools: ValidatorSetTools) {
    this.#tools = tools
    this.#history = new VoteHistory(tools)
  }

  /**
   * Of the block after `parent`, sorted. `parentState` is asked only where a contract names them. Faults where the
   * contract names none.
   */
  async after(parent: SealedHeader, parentState: () => StateReader): Promise<readonly Address[]> {
    const contract = this.contractAfter(parent.header)
    if (contract === undefined) return this.#history.after(parent).validators
    const known = this.#named.get(parent.hash)
    if (known !== undefined) return known
    const validators = await validatorsInContract(this.#tools, contract, parent.header, parentState())
    this.#named.set(parent.hash, validators)
    if (this.#named.size > MAX_NAMED) this.#named.delete(this.#named.keys().next().value!)
    return validators
  }

  /** As the QBFT API tells them of a block: those that its header lists, or that the contract names after the block. */
  async inBlock(header: BlockHeader, state: () => StateReader): Promise<readonly Address[]> {
    const { config } = this.#tools
    const { validatorContract } = bftSettingsAt(config, header)
    if (validatorContract === undefined) return validatorsInHeader(config.consensus, header)
    return validatorsInContract(this.#tools, validatorContract, header, state())
  }

  /** What votes of headers are on; undefined: a contract names the validators. */
  tallyAfter(parent: SealedHeader): VoteTally | undefined {
    return this.contractAfter(parent.header) === undefined ? this.#history.after(parent) : undefined
  }

  /** The contract that names the validators of the block after this one. Transitions by time go by the parent's. */
  contractAfter({ number, timestamp }: BlockHeader): Address | undefined {
    return bftSettingsAt(this.#tools.config, { number: number + 1n, timestamp }).validatorContract
  }
}

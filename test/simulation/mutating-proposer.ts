/**
 * A validator that follows the protocol but mutates its proposed blocks, differently for each receiver. It repairs the roots as
 * an attacker would.
 */
import type { BftMessage, ProposalMessage, ProposedBlock } from '#consensus/bft/messages.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import type { Address } from '#types/address.ts'
import { decodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { MUTATIONS } from '../adversarial/block-mutator/catalogue.ts'
import { blockBytes, withSeals } from '../adversarial/block-mutator/items.ts'
import type { Mutation } from '../adversarial/block-mutator/mutation.ts'
import { repair } from '../adversarial/block-mutator/repair.ts'
import { type Place, rawOf } from '../adversarial/block-mutator/site.ts'
import { transactionsOf } from '../adversarial/block-mutator/transactions.ts'
import { RuledChain } from './ruled-chain.ts'
import type { DecidedBlock } from './sim-chain.ts'
import { SimValidator } from './sim-validator.ts'

/** Seals are not the proposer's, and large blocks are rare because each takes milliseconds. */
const USUAL = MUTATIONS.filter(({ isOfSeals, value }) => isOfSeals !== true && !isLarge(value))
const LARGE = MUTATIONS.filter(({ value }) => isLarge(value))
const LARGE_CHANCE = 0.005
/** Blocks at the size limit, which exist on one network of each protocol. */
const SIZED = MUTATIONS.filter(({ value }) => /a (block|body) of/.test(value))
const SIZED_CHANCE = 0.05
const ATTEMPTS = 8
/** The share of simulations in which it lowers the gas limit in every proposal. */
const WALK_CHANCE = 0.05
const WALK = MUTATIONS.find(({ field, value }) => field === 'gasLimit' && value === 'lowest step')!

export class MutatingProposer extends SimValidator {
  /** Number of mutated proposals sent. */
  acts = 0
  readonly #habit: Mutation | undefined = this.world.random.chance(WALK_CHANCE) ? WALK : undefined

  override get isHonest(): boolean {
    return false
  }

  protected override transmit(message: BftMessage, to: Address | undefined): void {
    if (message.kind !== 'proposal') {
      super.transmit(message, to)
      return
    }
    const others = this.validatorsOf(to)
    // Either the same block for all, which a quorum may accept, or a different one for each validator.
    const groups = this.world.random.chance(0.5) ? [others] : others.map((other) => [other])
    for (const group of groups) this.world.waitFor(this.#sendMutated(message, group))
  }

  async #sendMutated(message: ProposalMessage, others: readonly SimValidator[]): Promise<void> {
    const block = await this.#mutated(message.block, this.head)
    const sent = block === undefined ? message : await this.#signed(message, block)
    if (block !== undefined) this.acts++
    for (const other of others) this.sendTo(other, sent)
  }

  async #signed(message: ProposalMessage, block: ProposedBlock): Promise<ProposalMessage> {
    const { height, round } = message.signed.payload
    const signed = await this.world.carrier.sign({ kind: 'proposal', height, round, block }, this.index)
    return { ...message, signed: signed as ProposalMessage['signed'], block }
  }

  #draw(network: string): Mutation {
    const { random } = this.world
    if (network.includes('osaka zero') && random.chance(SIZED_CHANCE)) return random.pick(SIZED)
    return random.pick(random.chance(LARGE_CHANCE) ? LARGE : USUAL)
  }

  /** Returns undefined if no mutation of this block decodes as a proposal. */
  async #mutated(honest: ProposedBlock, parent: DecidedBlock): Promise<ProposedBlock | undefined> {
    const { chain } = this.world
    if (!(chain instanceof RuledChain)) return undefined
    const { crypto, network, settings } = chain
    const place = placeOf(chain, honest, parent)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const mutation = this.#habit ?? this.#draw(network.name)
      const changed = mutation.change(rawOf(honest.encoded), place)
      if (changed === undefined) continue
      const { raw } = await repair(changed, mutation, { ...place, execute: async () => undefined })
      try {
        const encoded = blockBytes(withSeals(raw, []))
        const block = decodeProposedBlock(settings.protocol, encoded, undefined, crypto.keccak)
        chain.names.set(block.hash, `${network.name}: ${mutation.field}: ${mutation.value}`)
        return block
      } catch (error) {
        if (!(error instanceof Fault)) throw error
      }
    }
    return undefined
  }
}

function placeOf(chain: RuledChain, honest: ProposedBlock, parent: DecidedBlock): Place {
  const { network, crypto } = chain
  return {
    network,
    filling: 'empty',
    crypto,
    parent: { hash: parent.hash, header: chain.headerOf(parent) },
    grandparent: chain.headerOf(parent.parent ?? parent),
    honestBlock: decodeBlock(honest.encoded, crypto.keccak),
    transactions: transactionsOf(network, 0),
  }
}

function isLarge(value: string): boolean {
  return /a (block|body) of|oversized|megabyte|thousand/.test(value)
}

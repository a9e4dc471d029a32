/** What the methods of QBFT and IBFT ask of the network. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { bftSettingsAt } from '#consensus/bft/protocol-at.ts'
import { ValidatorSets } from '#consensus/validators/validator-sets.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { BftConfig } from '#types/genesis/genesis-bft.ts'
import { rpcFault } from './errors.ts'
import { isStateUnavailable, openState } from './read-state.ts'

/** Of a network that is, or becomes, one of QBFT. On others the methods are not enabled, as in Besu. */
export function requireQbft({ genesis }: ChainView): BftConfig {
  const { consensus } = genesis.config
  if (consensus.protocol === 'qbft' || consensus.protocol === 'migration') return consensus.qbft
  throw rpcFault('METHOD_NOT_ENABLED')
}

/** Of a network that is, or was, one of IBFT 2.0. */
export function requireIbft2({ genesis }: ChainView): BftConfig {
  const { consensus } = genesis.config
  if (consensus.protocol === 'ibft2') return consensus.ibft2
  if (consensus.protocol === 'migration' && consensus.past.protocol === 'ibft2') return consensus.past.ibft2
  throw rpcFault('METHOD_NOT_ENABLED')
}

const setsOf = new WeakMap<ChainView, ValidatorSets>()

/** Keeps what votes came to, block by block: a view lives as long as its thread. */
async function validatorSetsOf(chain: ChainView, engine: Engine): Promise<ValidatorSets> {
  const crypto = await loadCrypto()
  const known = setsOf.get(chain)
  if (known !== undefined) return known
  const { config } = chain.genesis
  const findHeader = (hash: BlockHeader['parentHash']) => chain.lookup.header(hash)?.header
  const sets = new ValidatorSets({ config, crypto, engine, findHeader })
  setsOf.set(chain, sets)
  return sets
}

/** Of the block after this one; null: a contract names them, and the state it is in is not kept. */
export async function validatorsAfter(
  chain: ChainView,
  engine: Engine,
  block: KnownHeader,
): Promise<readonly Address[] | null> {
  const sets = await validatorSetsOf(chain, engine)
  return unlessPruned(() => sets.after(block, () => openState(chain, block)))
}

/** Of the block itself; null as above. */
export async function validatorsOf(
  chain: ChainView,
  engine: Engine,
  block: KnownHeader,
): Promise<readonly Address[] | null> {
  const sets = await validatorSetsOf(chain, engine)
  return unlessPruned(() => sets.inBlock(block.header, () => openState(chain, block)))
}

async function unlessPruned<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    if (isStateUnavailable(error)) return null
    throw error
  }
}

/** Votes mean something only where headers name the validators. */
export function requireVotes(chain: ChainView): void {
  const { validatorContract } = bftSettingsAt(chain.genesis.config, chain.head().header)
  if (validatorContract !== undefined) throw rpcFault('METHOD_NOT_ENABLED')
}

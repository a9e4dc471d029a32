import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { bftSettingsAt } from '#consensus/bft/protocol-at.ts'
import { ValidatorSets } from '#consensus/validators/validator-sets.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { BftConfig } from '#types/genesis/genesis-bft.ts'
import { isStateUnavailable, openState } from './read-state.ts'

/** On networks that do not use QBFT, now or later, the methods are not enabled, as in Besu. */
export function requireQbft({ genesis }: ChainView): BftConfig {
  const { consensus } = genesis.config
  if (consensus.protocol === 'qbft' || consensus.protocol === 'migration') return consensus.qbft
  throw rpcFault('METHOD_NOT_ENABLED')
}

/** On networks that do not use IBFT 2.0, now or before, the methods are not enabled. */
export function requireIbft2({ genesis }: ChainView): BftConfig {
  const { consensus } = genesis.config
  if (consensus.protocol === 'ibft2') return consensus.ibft2
  if (consensus.protocol === 'migration' && consensus.past.protocol === 'ibft2') return consensus.past.ibft2
  throw rpcFault('METHOD_NOT_ENABLED')
}

const setsOf = new WeakMap<ChainView, ValidatorSets>()

/** Cached per view, which lives as long as its thread, because the sets accumulate votes block by block. */
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

/** The validators of a block, or of the next one. Null if a contract names them and its state is not kept. */
export async function validatorsOf(
  chain: ChainView,
  engine: Engine,
  block: KnownHeader,
  { isNext }: { readonly isNext: boolean },
): Promise<readonly Address[] | null> {
  const sets = await validatorSetsOf(chain, engine)
  const open = () => openState(chain, block)
  try {
    return await (isNext ? sets.after(block, open) : sets.inBlock(block.header, open))
  } catch (error) {
    if (isStateUnavailable(error)) return null
    throw error
  }
}

/** Votes have a meaning only if headers name the validators. */
export function requireVotes(chain: ChainView): void {
  const { validatorContract } = bftSettingsAt(chain.genesis.config, chain.head().header)
  if (validatorContract !== undefined) throw rpcFault('METHOD_NOT_ENABLED')
}

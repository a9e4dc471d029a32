/** Executes stored blocks again on their parent's state, on any thread, for results that were not kept. */

import { waiversOn } from '#chain/execute/execute.ts'
import { prepareTransactions } from '#chain/execute/prepare-transactions.ts'
import { chainFault } from '#chain/faults.ts'
import { cliqueSigner } from '#chain/rules/clique-signer.ts'
import { BlockSession } from '#evm/block/block-session.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine, EngineTransaction, SessionOptions } from '#evm/engine.ts'
import { rulesAt } from '#evm/rules.ts'
import { createStateLookup, type StateLookup, withBlockHashes } from '#evm/state-lookup.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { ChainView, PinnedState } from './chain-view.ts'
import type { KnownBlock } from './lookup.ts'

export interface Replay {
  /** A session in which everything before the transactions is done. */
  readonly session: BlockSession
  readonly transactions: readonly EngineTransaction[]
  /** The parent's state; confirm it after the last read. */
  readonly state: PinnedState
}

/** Throws STATE_UNAVAILABLE if the parent is not canonical or its state is not kept. */
export async function openReplay(
  chain: ChainView,
  engine: Engine,
  known: KnownBlock,
  options: Partial<SessionOptions>,
): Promise<Replay> {
  const { header } = known.block
  const state = chain.stateAt(Number(header.number) - 1)
  if (!chain.lookup.isCanonical(header.parentHash)) {
    const sentence = 'The parent of the block is not on the canonical chain, and only those keep their state.'
    throw new Fault('STATE_UNAVAILABLE', { sentence })
  }
  const { keccak } = await loadCrypto()
  const beneficiary = await signerOf(chain, header)
  const session = await BlockSession.open(
    {
      engine,
      config: chain.genesis.config,
      state: lookupOf(chain, state),
      keccak,
      // Only receipts contain the root, and a replay does not produce them.
      rootAfter: () => ZERO_HASH,
      options: { waivers: waiversOn(chain), ...options },
      ...(beneficiary === undefined ? {} : { beneficiary }),
    },
    header,
  )
  return { session, transactions: await transactionsOf(chain, known), state }
}

/** The signer of a Clique block; undefined for other blocks, whose headers name the beneficiary. */
export async function signerOf(chain: ChainView, header: BlockHeader): Promise<Address | undefined> {
  if (rulesAt(chain.genesis.config, header).consensus !== 'clique') return undefined
  return cliqueSigner(header, await loadCrypto())
}

export function lookupOf(chain: ChainView, state: PinnedState): StateLookup {
  const source = withBlockHashes(state, (number) => {
    const ancestor = chain.lookup.header(Number(number))
    return ancestor && hashToBytes(ancestor.hash)
  })
  return createStateLookup(source)
}

/** Takes the senders from the receipts; those of a block that was never executed are recovered. */
async function transactionsOf(
  chain: ChainView,
  { hash, block }: KnownBlock,
): Promise<readonly EngineTransaction[]> {
  const senders = chain.lookup.receipts(hash)?.map(({ sender }) => sender)
  const rules = rulesAt(chain.genesis.config, block.header)
  const prepared = prepareTransactions(block.transactions, rules, await loadCrypto(), senders)
  if (!prepared.ok) throw chainFault('IMPORT_REFUSED', { sentence: prepared.sentence })
  return prepared.transactions
}

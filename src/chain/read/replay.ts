/** Stored blocks executed again, for what was not kept of them: on any thread, on the state of their parent. */

import { prepareTransactions } from '#chain/execute/prepare-transactions.ts'
import { chainFault } from '#chain/faults.ts'
import { cliqueSigner } from '#chain/rules/clique-signer.ts'
import { BlockSession } from '#evm/block/block-session.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine, EngineTransaction, SessionOptions } from '#evm/engine.ts'
import { rulesAt } from '#evm/rules.ts'
import { createStateLookup, type StateLookup } from '#evm/state-lookup.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { ChainView, PinnedState } from './chain-view.ts'
import type { KnownBlock } from './lookup.ts'

export interface Replay {
  /** What comes before the transactions is done. */
  readonly session: BlockSession
  readonly transactions: readonly EngineTransaction[]
  /** Of the parent. To be confirmed after the last read. */
  readonly state: PinnedState
}

/** Throws STATE_UNAVAILABLE where the parent is not canonical, or its state not kept. */
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
      // Only receipts hold it, and nobody asks for those.
      rootAfter: () => ZERO_HASH,
      options,
      ...(beneficiary === undefined ? {} : { beneficiary }),
    },
    header,
  )
  return { session, transactions: await transactionsOf(chain, known), state }
}

/** Who made a block of clique; undefined elsewhere, where the header says it. */
export async function signerOf(chain: ChainView, header: BlockHeader): Promise<Address | undefined> {
  if (rulesAt(chain.genesis.config, header).consensus !== 'clique') return undefined
  return cliqueSigner(header, await loadCrypto())
}

export function lookupOf(chain: ChainView, state: PinnedState): StateLookup {
  return createStateLookup({
    account: (address) => state.account(address),
    storage: (address, slot) => state.storage(address, slot),
    code: (codeHash) => state.code(codeHash),
    blockHash: (number) => {
      const ancestor = chain.lookup.header(Number(number))
      return ancestor && hashToBytes(ancestor.hash)
    },
  })
}

/** Receipts know the senders; of a block that was never executed they are recovered. */
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

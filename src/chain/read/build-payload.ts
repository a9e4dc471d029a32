/** A block that is built on a block of the chain and kept nowhere: on any thread, whoever makes the blocks of the network. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { type BlockTemplate, completeHeader, draftHeader } from '#chain/build/build-block.ts'
import type { Candidate, LeftOut } from '#chain/build/candidates.ts'
import { fillBlock } from '#chain/build/fill-block.ts'
import { chainFault } from '#chain/faults.ts'
import { type BlockExecution, BlockSession } from '#evm/block/block-session.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Block } from '#types/block/block.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { ChainView } from './chain-view.ts'
import { lookupOf } from './replay.ts'

export interface PayloadTools {
  readonly chain: ChainView
  readonly engine: Engine
  readonly cancel: Int32Array | undefined
}

export interface BuiltPayload {
  readonly block: Block
  readonly execution: BlockExecution
  readonly leftOut: readonly LeftOut[]
}

/** It is built to its end or cancelled, so that nobody asks how long a transaction ran. */
const NO_TIME = () => 0

/** Throws STATE_UNAVAILABLE where the state of the parent is not kept. */
export async function buildPayload(
  { chain, engine, cancel }: PayloadTools,
  template: BlockTemplate,
  parent: KnownHeader,
  candidates: readonly Candidate[],
): Promise<BuiltPayload> {
  const crypto = await loadCrypto()
  const { keccak } = crypto
  const number = Number(parent.header.number)
  const state = chain.stateAt(number, parent.hash)
  const rootAfter = (changes: Uint8Array) => hashFromBytes(chain.rootAfter(number, changes).root)
  const draft = draftHeader(chain.genesis, template, parent.header)
  using session = await BlockSession.open(
    {
      engine,
      config: chain.genesis.config,
      state: lookupOf(chain, state),
      keccak,
      rootAfter,
      options: { callTree: false, changesPerTransaction: false, ...(cancel && { cancel }) },
    },
    draft,
  )
  const slices = async function* () {
    yield candidates
  }
  const parts = { crypto, cancel, nowMs: NO_TIME, budgetMs: undefined }
  const { included, leftOut } = await fillBlock(session, draft, slices(), parts)
  const withdrawals = draft.rules.has('shanghai') ? template.withdrawals : undefined
  const verdict = await session.finish({ ommers: [], withdrawals })
  if (!verdict.ok)
    throw chainFault('IMPORT_REFUSED', { sentence: `No block can be built. ${verdict.sentence}` })
  const { execution } = verdict
  const transactions = included.map(({ transaction }) => transaction as Transaction)
  const stateRoot = chain.rootAfter(number, execution.changes).root
  const header = completeHeader(keccak, { draft, template, execution, transactions, withdrawals }, stateRoot)
  state.confirm()
  return { block: { header, transactions, ommers: [], withdrawals }, execution, leftOut }
}

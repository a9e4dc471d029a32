/** Builds a block on a block of the chain without keeping it, on any thread and with any proposer. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { type BlockTemplate, draftHeader, fillDraft } from '#chain/build/build-block.ts'
import type { Candidate, LeftOut } from '#chain/build/candidates.ts'
import type { BlockContext, BlockExecution } from '#evm/block/block-session.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Block } from '#types/block/block.ts'
import { hashFromBytes } from '#types/hash.ts'
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

/** The payload is built completely or cancelled, so run times are irrelevant. */
const NO_TIME = () => 0

/** Throws STATE_UNAVAILABLE if the parent's state is not kept. */
export async function buildPayload(
  { chain, engine, cancel }: PayloadTools,
  template: BlockTemplate,
  parent: KnownHeader,
  candidates: readonly Candidate[],
): Promise<BuiltPayload> {
  const crypto = await loadCrypto()
  const number = Number(parent.header.number)
  const state = chain.stateAt(number, parent.hash)
  const rootAfter = (changes: Uint8Array) => hashFromBytes(chain.rootAfter(number, changes).root)
  const draft = draftHeader(chain.genesis, template, parent.header)
  const context: BlockContext = {
    engine,
    config: chain.genesis.config,
    state: lookupOf(chain, state),
    keccak: crypto.keccak,
    rootAfter,
    options: { callTree: false, changesPerTransaction: false, ...(cancel && { cancel }) },
  }
  const slices = async function* () {
    yield candidates
  }
  const parts = { crypto, cancel, nowMs: NO_TIME, budgetMs: undefined }
  const { leftOut, execution, complete } = await fillDraft(context, draft, template, slices(), parts)
  const block = complete(chain.rootAfter(number, execution.changes).root)
  state.confirm()
  return { block, execution, leftOut }
}

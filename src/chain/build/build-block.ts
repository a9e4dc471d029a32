/** Builds a block on a parent: takes candidates and gives a block that is already executed. */

import type { ExecutedBlock, KnownHeader } from '#chain/block/stages.ts'
import { blockContext, type ExecutionBase, type ExecutionTools, toStored } from '#chain/execute/execute.ts'
import { chainFault } from '#chain/faults.ts'
import { ELASTICITY, isFirstOfLondon, nextBaseFee } from '#chain/rules/base-fee.ts'
import { headerFormsOf } from '#chain/rules/header-form.ts'
import { GAS_LIMIT_BOUND_DIVISOR } from '#chain/rules/validate-header.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import { type BlockExecution, BlockSession, type ExecutableHeader } from '#evm/block/block-session.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type Block, joinBlock } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import {
  EMPTY_OMMERS_HASH,
  receiptsRoot,
  transactionsRoot,
  withdrawalsRoot,
} from '#types/block/block-roots.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { CandidateSlices, LeftOut } from './candidates.ts'
import { fillBlock } from './fill-block.ts'

/** How a block is built. */
export interface BuildOptions {
  readonly candidates: CandidateSlices
  /** How long it may take before `cancel` is interrupted, for judging what ran then; undefined: without end. */
  readonly budgetMs?: number | undefined
  /** evm/engine.ts: another thread sets it; and when its time is up, the block takes what was executed so far. */
  readonly cancel?: Int32Array | undefined
}

export interface BlockTemplate {
  readonly parent: Hash
  readonly timestamp: bigint
  readonly coinbase: Address
  /** On BFT networks with the round and without seals. */
  readonly extraData: Uint8Array
  readonly difficulty: bigint
  readonly mixHash: Hash
  readonly nonce: bigint
  /** Where the gas limit goes, as far as one block may; undefined: it stays. */
  readonly targetGasLimit: bigint | undefined
  /** With `fixedBaseFee` in the genesis file: the base fee of every block. */
  readonly fixedBaseFeeWei: bigint | undefined
  readonly withdrawals: readonly Withdrawal[]
  readonly parentBeaconBlockRoot: Hash
}

export interface BuiltBlock {
  readonly executed: ExecutedBlock
  readonly leftOut: readonly LeftOut[]
  /** The whole block in RLP. */
  readonly encoded: Uint8Array
}

export async function buildOn(
  tools: ExecutionTools,
  hashBlock: HashBlock,
  template: BlockTemplate,
  parent: KnownHeader,
  base: ExecutionBase,
  { candidates, budgetMs }: Pick<BuildOptions, 'candidates' | 'budgetMs'>,
): Promise<BuiltBlock> {
  const draft = draftHeader(tools.genesis, template, parent.header)
  using session = await BlockSession.open(blockContext(tools, base), draft)
  const { number, timestamp, gasLimit, baseFeePerGas } = draft
  const slices = candidates({ parent: parent.hash, number, timestamp, gasLimit, baseFeePerGas })
  const { nowMs } = tools.timings
  const parts = { crypto: tools.crypto, cancel: base.cancel, nowMs, budgetMs }
  const { included, leftOut } = await fillBlock(session, draft, slices, parts)
  const withdrawals = session.rules.has('shanghai') ? template.withdrawals : undefined
  const verdict = await session.finish({ ommers: [], withdrawals })
  if (!verdict.ok)
    throw chainFault('IMPORT_REFUSED', { sentence: `No block can be built. ${verdict.sentence}` })
  const { execution } = verdict
  const state = tools.store.deriveState(base.state, execution.changes)
  const transactions = included.map(({ transaction }) => transaction as Transaction)
  const header = completeHeader(
    tools.crypto.keccak,
    { draft, template, execution, transactions, withdrawals },
    state.root,
  )
  const block: Block = { header, transactions, ommers: [], withdrawals }
  const hash = hashBlock(header)
  const senders = included.map(({ sender }) => sender)
  const stored = toStored(tools, { block, hash }, execution, senders, state)
  const executed: ExecutedBlock = { stage: 'executed', hash, block, execution, senders, stored }
  return { executed, leftOut, encoded: joinBlock(stored.header, stored.body) }
}

export function draftHeader(
  genesis: Genesis,
  template: BlockTemplate,
  parent: BlockHeader,
): ExecutableHeader & { readonly rules: Rules } {
  const number = parent.number + 1n
  const { timestamp, difficulty } = template
  const rules = rulesAt(genesis.config, { number, timestamp, difficulty })
  const [form] = headerFormsOf(rules)
  const isFixed = rules.feeMarket === 'fixed' && rules.has('london')
  const elasticity = isFirstOfLondon(genesis.config, number) ? ELASTICITY : 1n
  return {
    rules,
    number,
    timestamp,
    difficulty,
    parentHash: template.parent,
    coinbase: template.coinbase,
    gasLimit: nextGasLimit(parent.gasLimit * elasticity, targetOf(genesis, template, parent, rules)),
    mixHash: template.mixHash,
    baseFeePerGas:
      (isFixed ? template.fixedBaseFeeWei : undefined) ?? nextBaseFee(genesis, rules, parent, number),
    excessBlobGas: form.has('excessBlobGas')
      ? nextExcessBlobGas(rules, {
          excessBlobGas: parent.excessBlobGas ?? 0n,
          blobGasUsed: parent.blobGasUsed ?? 0n,
          baseFeePerGas: parent.baseFeePerGas ?? 0n,
        })
      : undefined,
    parentBeaconBlockRoot: form.has('parentBeaconBlockRoot') ? template.parentBeaconBlockRoot : undefined,
  }
}

/**
 * A validator may lower the limit a little in each of its blocks, and Besu's honest validators leave it there. Ours bring
 * it back to the limit of the genesis file unless an option says otherwise.
 */
function targetOf(
  { header: { gasLimit } }: Genesis,
  { targetGasLimit }: BlockTemplate,
  parent: BlockHeader,
  rules: Rules,
): bigint | undefined {
  if (targetGasLimit !== undefined || rules.consensus !== 'bft') return targetGasLimit
  return parent.gasLimit < gasLimit ? gasLimit : undefined
}

/** Towards the target, by less than a 1024th of what it was. */
export function nextGasLimit(before: bigint, target: bigint | undefined): bigint {
  if (target === undefined || target === before) return before
  const step = before / GAS_LIMIT_BOUND_DIVISOR - 1n
  if (step <= 0n) return before
  if (target > before) return target - before > step ? before + step : target
  return before - target > step ? before - step : target
}

interface Completed {
  readonly draft: ExecutableHeader & { readonly rules: Rules }
  readonly template: BlockTemplate
  readonly execution: BlockExecution
  readonly transactions: readonly Transaction[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

export function completeHeader(keccak: Keccak, parts: Completed, stateRoot: Uint8Array): BlockHeader {
  const { draft, template, execution, transactions, withdrawals } = parts
  const { rules, ...fields } = draft
  const [form] = headerFormsOf(rules)
  assert(rules.has('amsterdam') === false, 'Rules of Amsterdam are refused before.')
  return {
    ...NO_OPTIONAL_FIELDS,
    ...fields,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot: hashFromBytes(stateRoot),
    transactionsRoot: transactionsRoot(transactions, keccak),
    receiptsRoot: receiptsRoot(execution.receipts, keccak),
    logsBloom: execution.logsBloom,
    gasUsed: execution.gasUsed,
    extraData: template.extraData,
    nonce: template.nonce,
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals, keccak),
    blobGasUsed: form.has('blobGasUsed') ? execution.blobGasUsed : undefined,
    requestsHash: form.has('requestsHash') ? execution.requestsHash : undefined,
  }
}

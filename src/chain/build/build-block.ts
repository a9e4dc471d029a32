/** Builds a block on a parent from candidates; the result is already executed. */

import type { ExecutedBlock, KnownHeader } from '#chain/block/stages.ts'
import {
  blockContext,
  type ExecutionBase,
  type ExecutionTools,
  stateAfter,
  toStored,
} from '#chain/execute/execute.ts'
import { chainFault } from '#chain/faults.ts'
import { gasLimitBefore, nextBaseFee } from '#chain/rules/base-fee.ts'
import { headerFormsOf } from '#chain/rules/header-form.ts'
import { GAS_LIMIT_BOUND_DIVISOR } from '#chain/rules/validate-header.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import {
  type BlockContext,
  type BlockExecution,
  BlockSession,
  type ExecutableHeader,
} from '#evm/block/block-session.ts'
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
import { effectiveGasPrice } from '#types/transaction/transaction-fees.ts'
import type { Candidate, CandidateSlices, LeftOut } from './candidates.ts'
import { type Filled, type FillParts, fillBlock } from './fill-block.ts'

export interface BuildOptions {
  readonly candidates: CandidateSlices
  /** Time until `cancel` is interrupted, used to judge the transaction that was running then; unlimited if undefined. */
  readonly budgetMs?: number | undefined
  /**
   * The cancel cell (evm/engine.ts), set by another thread. On an interrupt, the block keeps the transactions
   * executed so far.
   */
  readonly cancel?: Int32Array | undefined
}

export interface BlockTemplate {
  readonly parent: Hash
  readonly timestamp: bigint
  readonly coinbase: Address
  /** On BFT networks, contains the round but no seals. */
  readonly extraData: Uint8Array
  readonly difficulty: bigint
  readonly mixHash: Hash
  readonly nonce: bigint
  /** The gas limit to move towards, as far as one block may; the limit stays if undefined. */
  readonly targetGasLimit: bigint | undefined
  /** The base fee of every block if the genesis file has `fixedBaseFee`. */
  readonly fixedBaseFeeWei: bigint | undefined
  readonly withdrawals: readonly Withdrawal[]
  readonly parentBeaconBlockRoot: Hash
  /** Values against the rules of headers, on development networks. */
  readonly exact?: {
    readonly gasLimit?: bigint | undefined
    readonly baseFeeWei?: bigint | undefined
  }
}

export interface BuiltBlock {
  readonly executed: ExecutedBlock
  readonly leftOut: readonly LeftOut[]
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
  const { number, timestamp, gasLimit, baseFeePerGas } = draft
  const slices = candidates({ parent: parent.hash, number, timestamp, gasLimit, baseFeePerGas })
  const { nowMs } = tools.timings
  const parts = { crypto: tools.crypto, cancel: base.cancel, nowMs, budgetMs }
  const context = blockContext(tools, base)
  const { included, leftOut, execution, complete } = await fillDraft(context, draft, template, slices, parts)
  const state = stateAfter(tools, base, execution.changes)
  const block = complete(state.root)
  const hash = hashBlock(block.header)
  const senders = included.map(({ sender }) => sender)
  const stored = toStored(tools, { block, hash }, execution, senders, state, base.edits)
  const executed: ExecutedBlock = { stage: 'executed', hash, block, execution, senders, stored }
  return { executed, leftOut, encoded: joinBlock(stored.header, stored.body) }
}

interface FilledBlock extends Filled {
  readonly execution: BlockExecution
  readonly complete: (stateRoot: Uint8Array) => Block
}

/** Executes candidates in a new block, which is completed once its state root is known. */
export async function fillDraft(
  context: BlockContext,
  draft: HeaderDraft,
  template: BlockTemplate,
  slices: AsyncIterable<readonly Candidate[]>,
  parts: FillParts,
): Promise<FilledBlock> {
  using session = await BlockSession.open(context, draft)
  const { included, leftOut } = await fillBlock(session, draft, slices, parts)
  const withdrawals = draft.rules.has('shanghai') ? template.withdrawals : undefined
  const verdict = await session.finish({ ommers: [], withdrawals })
  if (!verdict.ok)
    throw chainFault('IMPORT_REFUSED', { sentence: `No block can be built. ${verdict.sentence}` })
  const { execution } = verdict
  const transactions = included.map(({ transaction }) => transaction as Transaction)
  const complete = (stateRoot: Uint8Array): Block => {
    const completed = { draft, template, execution, transactions, withdrawals }
    return {
      header: completeHeader(context.keccak, completed, stateRoot),
      transactions,
      ommers: [],
      withdrawals,
    }
  }
  return { included, leftOut, execution, complete }
}

type HeaderDraft = ExecutableHeader & { readonly rules: Rules }

export function draftHeader(genesis: Genesis, template: BlockTemplate, parent: BlockHeader): HeaderDraft {
  const number = parent.number + 1n
  const { timestamp, difficulty } = template
  const rules = rulesAt(genesis.config, { number, timestamp, difficulty })
  const [form] = headerFormsOf(rules)
  const isFixed = rules.feeMarket === 'fixed' && rules.has('london')
  return {
    rules,
    number,
    timestamp,
    difficulty,
    parentHash: template.parent,
    coinbase: template.coinbase,
    gasLimit:
      template.exact?.gasLimit ??
      nextGasLimit(gasLimitBefore(genesis.config, parent), targetOf(genesis, template, parent, rules)),
    mixHash: template.mixHash,
    baseFeePerGas:
      template.exact?.baseFeeWei ??
      (isFixed ? template.fixedBaseFeeWei : undefined) ??
      nextBaseFee(genesis, rules, parent, number),
    excessBlobGas: form.has('excessBlobGas') ? nextExcessBlobGas(rules, parent) : undefined,
    parentBeaconBlockRoot: form.has('parentBeaconBlockRoot') ? template.parentBeaconBlockRoot : undefined,
  }
}

/**
 * A validator may lower the limit a little in each of its blocks, and Besu's honest validators leave it there. Cairn
 * restores the genesis limit unless an option says otherwise.
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

/** Moves towards the target by less than 1/1024 of the previous limit. */
export function nextGasLimit(before: bigint, target: bigint | undefined): bigint {
  if (target === undefined || target === before) return before
  const step = before / GAS_LIMIT_BOUND_DIVISOR - 1n
  if (step <= 0n) return before
  if (target > before) return target - before > step ? before + step : target
  return before - target > step ? before - step : target
}

interface Completed {
  readonly draft: HeaderDraft
  readonly template: BlockTemplate
  readonly execution: BlockExecution
  readonly transactions: readonly Transaction[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

function completeHeader(keccak: Keccak, parts: Completed, stateRoot: Uint8Array): BlockHeader {
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

/** The priority fees of a block, which its coinbase receives. */
export function tipsOf(
  { header, transactions }: Pick<Block, 'header' | 'transactions'>,
  { receipts }: Pick<BlockExecution, 'receipts'>,
): bigint {
  const baseFee = header.baseFeePerGas ?? 0n
  let [value, gasBefore] = [0n, 0n]
  for (const [index, { cumulativeGasUsed }] of receipts.entries()) {
    const price = effectiveGasPrice(transactions[index]!, baseFee)
    value += (cumulativeGasUsed - gasBefore) * (price - baseFee)
    gasBefore = cumulativeGasUsed
  }
  return value
}

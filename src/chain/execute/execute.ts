/** Executes a block with a valid header and body on its parent's state and compares every root. */

import {
  type ExecutedBlock,
  type HeaderValidatedBlock,
  type InvalidBlock,
  invalidBlock,
} from '#chain/block/stages.ts'
import { encodeStoredCallTrees, tracedParties } from '#chain/block/stored-call-trees.ts'
import { encodeStoredReceipts, type StoredReceipt } from '#chain/block/stored-receipts.ts'
import { endsBeforeBlobs } from '#chain/rules/header-form.ts'
import type { HeaderRules } from '#chain/rules/header-rules.ts'
import type { BlockContext, BlockExecution } from '#evm/block/block-session.ts'
import { executeBlock } from '#evm/block/execute-block.ts'
import type { Crypto } from '#evm/crypto.ts'
import { type Engine, NO_WAIVERS, type Waivers } from '#evm/engine.ts'
import type { Outcome } from '#evm/outcome.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { createStateLookup, withBlockHashes } from '#evm/state-lookup.ts'
import { encodeEdits } from '#store/edits.ts'
import type { NewBlock, StateVersion, StoredBlock } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { type Block, encodeBody } from '#types/block/block.ts'
import { type BlockHeader, encodeHeader } from '#types/block/block-header.ts'
import { receiptsRoot } from '#types/block/block-roots.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type EditList, joinEdits, NO_EDITS, overlayOf } from './edited-state.ts'
import { prepareTransactions, recoverSendersBeside } from './prepare-transactions.ts'
import type { Timings } from './timings.ts'

/** Dependencies of execution, the same for every block. */
export interface ExecutionTools {
  readonly genesis: Genesis
  readonly engine: Engine
  readonly crypto: Crypto
  readonly store: Pick<Store, 'deriveState' | 'isDevelopment'>
  readonly headerRules: HeaderRules
  /** Whether receipts keep the output of reverted transactions. */
  readonly keepRevertReasons: boolean
  /** Whether call trees are stored with their block. */
  readonly keepCallTrees: boolean
  readonly timings: Timings
}

export interface ExecutionBase {
  readonly state: StateVersion
  /** Returns the hash of an ancestor; undefined beyond block 0. */
  readonly blockHash: (number: bigint) => Uint8Array | undefined
  /** The cancel cell (evm/engine.ts); another thread sets it to end the work. */
  readonly cancel?: Int32Array | undefined
  /** Edits made after the parent (store/edits.ts). */
  readonly edits?: EditList
  /** Senders that are already known. */
  readonly senders?: readonly (Address | undefined)[] | undefined
}

export type ExecutionVerdict = { readonly ok: true; readonly executed: ExecutedBlock } | InvalidBlock

export async function executeValidated(
  tools: ExecutionTools,
  { block, hash }: HeaderValidatedBlock,
  base: ExecutionBase,
): Promise<ExecutionVerdict> {
  const { timings, crypto, engine } = tools
  const rules = rulesAt(tools.genesis.config, block.header)
  const prepared = await timings.measureAsync('recovery', async () => {
    const { transactions } = block
    const senders = await recoverSendersBeside(engine, transactions, crypto, base.senders)
    return prepareTransactions(transactions, rules, crypto, senders)
  })
  if (!prepared.ok) return prepared
  const executable = { ...block, transactions: prepared.transactions }
  const verdict = await timings.measureAsync('execution', () =>
    executeBlock({ ...blockContext(tools, base), ...beneficiaryOf(tools, block.header) }, executable),
  )
  if (!verdict.ok) return invalidBlock('EXECUTION_REFUSED', verdict.sentence)
  const { execution } = verdict
  const problem = timings.measure('receipts', () => refuseExecution(block.header, execution, rules, crypto))
  if (problem !== undefined) return problem
  const state = timings.measure('root', () => stateAfter(tools, base, execution.changes))
  const root = hashFromBytes(state.root)
  if (root !== block.header.stateRoot) {
    const sentence = `The state root is ${root}, and the header says ${block.header.stateRoot}.`
    return invalidBlock('WRONG_STATE_ROOT', sentence)
  }
  const senders = prepared.transactions.map(({ sender }) => sender)
  const stored = timings.measure('encoding', () =>
    toStored(tools, { block, hash }, execution, senders, state, base.edits),
  )
  return { ok: true, executed: { stage: 'executed', hash, block, execution, senders, stored } }
}

function beneficiaryOf({ headerRules }: ExecutionTools, header: BlockHeader): Partial<BlockContext> {
  const beneficiary = headerRules.beneficiaryOf?.(header)
  return beneficiary === undefined ? {} : { beneficiary }
}

export function blockContext(tools: ExecutionTools, base: ExecutionBase): BlockContext {
  const { state, blockHash, cancel, edits = NO_EDITS } = base
  const { engine, genesis, crypto } = tools
  const source =
    edits.length === 0 ? withBlockHashes(state, blockHash) : overlayOf(state, edits, crypto.keccak, blockHash)
  return {
    engine,
    config: genesis.config,
    state: createStateLookup(source),
    keccak: crypto.keccak,
    rootAfter: (changes) => hashFromBytes(stateAfter(tools, base, changes).root),
    options: { cancel, callTree: tools.keepCallTrees, waivers: waiversOn(tools.store) },
  }
}

/** On a development network, a contract sends transactions if it is impersonated. */
export function waiversOn({ isDevelopment }: Pick<Store, 'isDevelopment'>): Waivers {
  return isDevelopment ? { ...NO_WAIVERS, senderCode: true } : NO_WAIVERS
}

/** The state after a block whose execution changed the parent's state and its edits. */
export function stateAfter(
  { store, crypto }: Pick<ExecutionTools, 'store' | 'crypto'>,
  { state, edits = NO_EDITS }: ExecutionBase,
  changes: Uint8Array,
): StateVersion {
  return store.deriveState(state, joinEdits(state, edits, changes, crypto.keccak))
}

function refuseExecution(
  header: BlockHeader,
  execution: BlockExecution,
  rules: Rules,
  { keccak }: Crypto,
): InvalidBlock | undefined {
  const { gasUsed, blobGasUsed, logsBloom, receipts, requestsHash } = execution
  if (gasUsed !== header.gasUsed) {
    const sentence = `The transactions used ${gasUsed} gas, and the header says ${header.gasUsed}.`
    return invalidBlock('WRONG_GAS_USED', sentence)
  }
  const hasBlobFields = rules.has('cancun') && !endsBeforeBlobs(header, rules)
  if (hasBlobFields && blobGasUsed !== header.blobGasUsed) {
    const sentence = `The blobs used ${blobGasUsed} gas, and the header says ${header.blobGasUsed}.`
    return invalidBlock('WRONG_GAS_USED', sentence)
  }
  if (!equalBytes(logsBloom, header.logsBloom)) {
    return invalidBlock('WRONG_BLOOM', 'The bloom of the logs is not the one in the header.')
  }
  const root = receiptsRoot(receipts, keccak)
  if (root !== header.receiptsRoot) {
    const sentence = `The receipts have root ${root}, and the header says ${header.receiptsRoot}.`
    return invalidBlock('WRONG_RECEIPTS_ROOT', sentence)
  }
  if (hasBlobFields && requestsHash !== header.requestsHash) {
    const sentence = `The requests have hash ${requestsHash}, and the header says ${header.requestsHash}.`
    return invalidBlock('WRONG_REQUESTS', sentence)
  }
  return undefined
}

export function toStored(
  tools: Pick<ExecutionTools, 'keepRevertReasons'>,
  { block, hash }: { readonly block: Block; readonly hash: Hash },
  execution: Pick<BlockExecution, 'receipts' | 'outcomes'>,
  senders: readonly Address[],
  state: StateVersion,
  edits: EditList = NO_EDITS,
): NewBlock {
  const { receipts, outcomes } = execution
  const stored = receipts.map(
    ({ type, outcome, cumulativeGasUsed, logs }, index): StoredReceipt => ({
      type,
      outcome,
      cumulativeGasUsed,
      logs,
      sender: senders[index]!,
      revertReason: tools.keepRevertReasons ? revertReasonOf(outcomes[index]!) : undefined,
    }),
  )
  const logAddresses = new Set<Address>()
  const logTopics = new Set<Hash>()
  for (const { logs } of receipts) {
    for (const { address, topics } of logs) {
      logAddresses.add(address)
      for (const topic of topics) logTopics.add(topic)
    }
  }
  return {
    ...storedParts({ block, hash }),
    receipts: encodeStoredReceipts(stored),
    callTrees: encodeStoredCallTrees(outcomes),
    transactionHashes: block.transactions.map((transaction) => hashToBytes(transaction.hash)),
    logAddresses: [...logAddresses].map(addressToBytes),
    logTopics: [...logTopics].map(hashToBytes),
    parties: tracedParties(outcomes),
    state,
    edits: edits.length === 0 ? undefined : encodeEdits(edits),
  }
}

/** The parts that are stored for every block, executed or not. */
export function storedParts({
  block,
  hash,
}: {
  readonly block: Block
  readonly hash: Hash
}): Omit<StoredBlock, 'receipts' | 'callTrees'> {
  const { header } = block
  return {
    number: Number(header.number),
    hash: hashToBytes(hash),
    timestamp: secondsOf(header),
    header: encodeHeader(header),
    body: encodeBody(block),
  }
}

function revertReasonOf({ error, output }: Outcome): Uint8Array | undefined {
  return error === 'reverted' ? output : undefined
}

/** A time beyond the range of a number is also beyond every fork. */
export function secondsOf({ timestamp }: Pick<BlockHeader, 'timestamp'>): number {
  return Math.min(Number(timestamp), Number.MAX_SAFE_INTEGER)
}

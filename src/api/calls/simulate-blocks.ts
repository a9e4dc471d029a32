/** Hypothetical blocks made of unsigned calls. Nothing of them is kept. */

import { atLeast, atMost } from '#api/fee-bounds.ts'
import type { EngineResources } from '#api/resources.ts'
import type { StateOverrides } from '#api/schema/call-object.ts'
import type { SimulationRequest } from '#api/schema/simulation.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import { openSource } from '#chain/read/call-site.ts'
import type { PinnedState, RootAfter } from '#chain/read/chain-view.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import { type BlockExecution, BlockSession } from '#evm/block/block-session.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { BlockEnvironment } from '#evm/engine.ts'
import { precompilesOf } from '#evm/precompiles.ts'
import { rulesAt } from '#evm/rules.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { type CallRefusal, prepareCall, waiversOf } from '#evm/simulate/simulate-transaction.ts'
import { WatchedState } from '#evm/simulate/watched-state.ts'
import { createStateLookup, type StateSource } from '#evm/state-lookup.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Block } from '#types/block/block.ts'
import type { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { type PlannedBlock, planBlocks } from './planned-blocks.ts'
import {
  completeHeader,
  draftHeader,
  type HeaderDraft,
  hashSimulated,
  hasWithdrawals,
} from './simulated-header.ts'
import { type NumberedLog, TransferLogs } from './transfer-logs.ts'
import { encodeTrieLog } from './trie-log.ts'

export interface SimulatedBlock extends KnownHeader {
  readonly block: Block
  readonly calls: readonly SimulatedCall[]
  readonly execution: BlockExecution
  /** What the blocks so far read and changed, in Besu's format; undefined if not requested. */
  readonly trieLog: Uint8Array | undefined
}

export interface SimulatedCall {
  readonly transaction: Transaction
  readonly sender: Address
  /** Includes transfers if they were requested. */
  readonly logs: readonly NumberedLog[]
  /** Includes reverted logs; the next call counts from here. */
  readonly logCount: number
}

const NO_SIGNATURE = { yParity: 0, r: 0n, s: 0n } as const

export async function simulateBlocks(
  resources: EngineResources,
  base: KnownHeader,
  request: SimulationRequest,
  { cancel }: Pick<RunContext, 'cancel'>,
): Promise<SimulatedBlock[]> {
  const planned = planBlocks(request.blocks, base.header)
  for (const { state } of planned) requirePrecompiles(resources, base, state)
  const { keccak } = await loadCrypto()
  const { state, pinned } = openSource(resources.chain, base)
  const simulation = new BlockSimulation({ resources, request, base, source: state, pinned, keccak, cancel })
  const simulated: SimulatedBlock[] = []
  for (const block of planned) {
    // Roots are computed between blocks, where no engine polls the cell.
    if (cancel !== undefined && Atomics.load(cancel, 0) !== 0) throw rpcFault('TIMEOUT_ERROR')
    simulated.push(await simulation.add(block))
  }
  pinned.confirm()
  return simulated
}

function requirePrecompiles(
  { chain }: EngineResources,
  base: KnownHeader,
  state: StateOverrides | undefined,
): void {
  const moved = state?.movedPrecompiles ?? new Map<Address, Address>()
  const known = precompilesOf(rulesAt(chain.genesis.config, base.header))
  for (const from of moved.keys()) if (!known.has(from)) throw rpcFault('SIMULATION_NO_PRECOMPILE')
}

interface SimulationParts {
  readonly resources: EngineResources
  readonly request: SimulationRequest
  readonly base: KnownHeader
  /** The state after the block. */
  readonly source: StateSource
  readonly pinned: PinnedState
  readonly keccak: Keccak
  readonly cancel: Int32Array | undefined
}

interface OpenBlock {
  readonly draft: HeaderDraft
  readonly session: BlockSession
  readonly environment: BlockEnvironment
  /** The state for the next call. */
  readonly state: OverlayState
}

class BlockSimulation {
  readonly #parts: SimulationParts
  readonly #policy: CallPolicy
  /** The state after the last block. */
  readonly #state: OverlayState
  /** Records reads, if a trie log was requested. */
  readonly #watched: WatchedState | undefined
  #parent: KnownHeader
  #gasUsed = 0n
  #changedBytes = 0

  constructor(parts: SimulationParts) {
    const { validatedBlock, plainBlock } = CALL_POLICIES
    this.#parts = parts
    this.#policy = parts.request.isValidated ? validatedBlock : plainBlock
    this.#state = new OverlayState(parts.source, parts.keccak)
    this.#watched = parts.request.returnsTrieLog ? new WatchedState(this.#state) : undefined
    this.#parent = parts.base
  }

  async add(planned: PlannedBlock): Promise<SimulatedBlock> {
    const { keccak } = this.#parts
    for (const [address, override] of planned.state?.accounts ?? []) this.#state.override(address, override)
    const open = await this.#open(planned)
    using session = open.session
    const { draft } = open
    const calls: SimulatedCall[] = []
    for (const call of planned.calls) calls.push(await this.#run(open, call))
    const withdrawals = hasWithdrawals(draft.rules) ? [] : undefined
    const verdict = await session.finish({ ommers: [], withdrawals })
    if (!verdict.ok) throw rpcFault('SIMULATION_REFUSED', { message: verdict.sentence })
    const { execution } = verdict
    this.#changedBytes += execution.changes.length
    if (this.#changedBytes > this.#parts.resources.limits.maxRequestBytes) throw rpcFault('LIMIT_EXCEEDED')
    this.#state.apply(execution.changes)
    const transactions = calls.map(({ transaction }) => transaction)
    const { root, storageRoots } = this.#rootAfterBlocks(this.#state)
    const stateRoot = planned.block.stateRoot ?? hashFromBytes(root)
    const header = completeHeader(draft, execution, transactions, stateRoot, keccak)
    const hash = planned.block.hash ?? hashSimulated(header, keccak)
    this.#parent = { hash, header }
    this.#gasUsed += execution.gasUsed
    this.#state.setBlockHash(header.number, hashToBytes(hash))
    const block: Block = { header, transactions, ommers: [], withdrawals }
    return { hash, header, block, calls, execution, trieLog: this.#trieLog(hash, storageRoots) }
  }

  async #open(planned: PlannedBlock): Promise<OpenBlock> {
    const { resources, request, keccak, cancel } = this.#parts
    const { genesis } = resources.chain
    const { feeRecipient, blobBaseFee } = planned.block
    const draft = draftHeader(genesis, this.#parent, planned, request.isValidated)
    const visible = blockEnvironment(draft.rules, draft, draft.coinbase)
    const freeBlobs = request.isValidated ? visible.blobBaseFee : 0n
    const environment = { blobBaseFee: blobBaseFee ?? freeBlobs }
    const session = await BlockSession.open(
      {
        engine: resources.engine,
        config: genesis.config,
        state: createStateLookup(this.#watched ?? this.#state),
        keccak,
        rootAfter: (changes) => this.#rootAfter(changes),
        options: {
          callTree: false,
          changesPerTransaction: true,
          waivers: waiversOf(this.#policy),
          movedPrecompiles: planned.state?.movedPrecompiles,
          cancel,
        },
        environment,
        ...(feeRecipient === undefined ? {} : { beneficiary: feeRecipient }),
      },
      draft,
    )
    const state = new OverlayState(this.#state, keccak)
    state.apply(session.session.changes())
    return { draft, session, environment: { ...visible, ...environment }, state }
  }

  async #run({ draft, session, environment, state }: OpenBlock, call: CallRequest): Promise<SimulatedCall> {
    const { request, keccak } = this.#parts
    const gasLimit = this.#gasLeft(session, draft)
    if (call.gas !== undefined && call.gas > gasLimit) throw rpcFault('SIMULATION_BLOCK_GAS_EXCEEDED')
    const prepared = prepareCall(call, {
      rules: draft.rules,
      block: environment,
      hasBaseFee: draft.baseFeePerGas !== undefined,
      state,
      policy: this.#policy,
      gasLimit,
    })
    if (!prepared.ok) throw simulationFault(prepared.refusal)
    const { transaction, sender } = prepared
    const transfers = request.tracesTransfers ? new TransferLogs() : undefined
    const authorities = call.authorizations?.map(({ authority }) => authority)
    const refused = await session.run([{ transaction, sender, authorities }], transfers?.request)
    assert(refused === undefined, `A call that was let pass is executed: ${refused?.sentence}`)
    const outcome = session.outcomes.at(-1)!
    state.apply(outcome.changes!)
    const logs = transfers?.logs ?? outcome.logs.map((log, index) => ({ log, index }))
    const logCount = transfers?.count ?? logs.length
    return { transaction: completeTransaction(transaction, NO_SIGNATURE, keccak), sender, logs, logCount }
  }

  /** Before Byzantium, receipts have state roots: of the preceding blocks' changes and of this block's so far. */
  #rootAfter(changes: Uint8Array): Hash {
    const state = new OverlayState(this.#parts.source, this.#parts.keccak)
    state.apply(this.#state.changes())
    state.apply(changes)
    return hashFromBytes(this.#rootAfterBlocks(state).root)
  }

  #rootAfterBlocks(state: OverlayState): RootAfter {
    const { resources, base } = this.#parts
    return resources.chain.rootAfter(Number(base.header.number), state.changes())
  }

  #trieLog(hash: Hash, storageRoots: RootAfter['storageRoots']): Uint8Array | undefined {
    const { pinned, keccak } = this.#parts
    if (this.#watched === undefined) return undefined
    return encodeTrieLog(
      hash,
      { before: pinned, after: this.#state, watched: this.#watched, storageRoots },
      keccak,
    )
  }

  /** The remainder of the block's gas, and of the cap that all blocks of a request share. */
  #gasLeft({ session }: BlockSession, { gasLimit }: HeaderDraft): bigint {
    const gasCap = BigInt(this.#parts.resources.limits.gasCap)
    const inBlock = gasLimit - session.gasUsed
    const allowed = gasCap === 0n ? inBlock : gasCap - this.#gasUsed - session.gasUsed
    return atLeast(atMost(inBlock, allowed), 0n)
  }
}

/** Errors of eth_simulateV1; a reason without its own error refuses the complete request. */
const REFUSALS: Readonly<Record<RefusalReason, RpcErrorKind>> = {
  BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE: 'SIMULATION_REFUSED',
  EMPTY_CODE_DELEGATION: 'SIMULATION_REFUSED',
  EXCEEDS_BLOCK_GAS_LIMIT: 'SIMULATION_REFUSED',
  EXCEEDS_TRANSACTION_GAS_LIMIT: 'SIMULATION_REFUSED',
  GAS_PRICE_BELOW_CURRENT_BASE_FEE: 'SIMULATION_BASE_FEE_TOO_LOW',
  INITCODE_TOO_LARGE: 'SIMULATION_REFUSED',
  INTRINSIC_GAS_EXCEEDS_GAS_LIMIT: 'SIMULATION_INTRINSIC_GAS',
  INVALID_BLOBS: 'SIMULATION_REFUSED',
  INVALID_SIGNATURE: 'SIMULATION_REFUSED',
  INVALID_TRANSACTION_FORMAT: 'SIMULATION_REFUSED',
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: 'SIMULATION_REFUSED',
  NONCE_OVERFLOW: 'SIMULATION_REFUSED',
  NONCE_TOO_HIGH: 'SIMULATION_NONCE_TOO_HIGH',
  NONCE_TOO_LOW: 'SIMULATION_NONCE_TOO_LOW',
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: 'SIMULATION_REFUSED',
  SENDER_HAS_CODE: 'SIMULATION_REFUSED',
  TOTAL_BLOB_GAS_TOO_HIGH: 'SIMULATION_REFUSED',
  TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS: 'SIMULATION_REFUSED',
  TX_TOO_LARGE_FOR_REMAINING_GAS: 'SIMULATION_REFUSED',
  UPFRONT_COST_EXCEEDS_BALANCE: 'SIMULATION_INSUFFICIENT_FUNDS',
  UPFRONT_COST_EXCEEDS_UINT256: 'SIMULATION_REFUSED',
  WRONG_CHAIN_ID: 'SIMULATION_REFUSED',
}

function simulationFault({ reason, detail }: CallRefusal): Fault<RpcErrorKind> {
  return rpcFault(REFUSALS[reason], { message: detail })
}

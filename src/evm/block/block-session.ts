/**
 * Executes or builds one block: the protocol's work before the transactions, the transactions with their receipts,
 * and the work after. The same for every engine.
 */

import type {
  BlockEnvironment,
  Engine,
  EngineSession,
  EngineTransaction,
  RefusedTransaction,
  SessionOptions,
} from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import { type Payment, type Rules, rulesAt } from '#evm/rules.ts'
import type { StateLookup } from '#evm/state-lookup.ts'
import type { TraceRequest } from '#evm/trace/events.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { bloomOfLogs, emptyBloom, type KnownBits, mergeBlooms } from '#types/block/bloom.ts'
import type { Log } from '#types/block/log.ts'
import type { Receipt } from '#types/block/receipt.ts'
import { hashRequests, REQUEST_TYPE } from '#types/block/requests.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import { blockEnvironment } from './block-environment.ts'
import { applyDaoChange } from './dao.ts'
import { createRequest, depositsFromLogs } from './requests.ts'
import { paymentOf, payRewards, rewardsOf } from './rewards.ts'

const WEI_PER_GWEI = 10n ** 9n
/** Shared by all receipts without logs, because the bloom of a receipt is never modified. */
const NO_LOGS_BLOOM = emptyBloom()

export interface BlockContext {
  readonly engine: Engine
  readonly config: GenesisConfig
  /** The parent's state. */
  readonly state: StateLookup
  readonly keccak: Keccak
  /**
   * Returns the state root after the given changes (types/state-changes.ts) since the block began. Called after every
   * transaction before Byzantium, when receipts contain it.
   */
  readonly rootAfter: (changes: Uint8Array) => Hash
  readonly options?: Partial<SessionOptions>
  /** Overrides of the block environment in simulated blocks. */
  readonly environment?: Partial<BlockEnvironment>
  /** The Clique signer, whom the header does not name. */
  readonly beneficiary?: Address
}

/** The header fields that execution needs; a block under construction has these first. */
export type ExecutableHeader = Pick<
  BlockHeader,
  | 'number'
  | 'timestamp'
  | 'parentHash'
  | 'coinbase'
  | 'difficulty'
  | 'gasLimit'
  | 'mixHash'
  | 'baseFeePerGas'
  | 'excessBlobGas'
  | 'parentBeaconBlockRoot'
>

export interface BlockEnd {
  readonly ommers: readonly { readonly number: bigint; readonly coinbase: Address }[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/** The results of a block. The caller compares most of them with the header. */
export interface BlockExecution {
  readonly rules: Rules
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly receipts: readonly Receipt[]
  readonly logsBloom: Uint8Array
  readonly outcomes: readonly Outcome[]
  /** EIP-7685, from Prague on: the non-empty requests with their types. */
  readonly requests: readonly Uint8Array[] | undefined
  readonly requestsHash: Hash | undefined
  /** Net changes (types/state-changes.ts). */
  readonly changes: Uint8Array
}

export type BlockRefusal =
  | 'TRANSACTION_REFUSED'
  | 'SYSTEM_CONTRACT_MISSING'
  | 'SYSTEM_CALL_FAILED'
  | 'INVALID_DEPOSIT'

export type BlockExecutionVerdict =
  | { readonly ok: true; readonly execution: BlockExecution }
  | { readonly ok: false; readonly reason: BlockRefusal; readonly sentence: string }

export interface RunEnd {
  /** Number of transactions added to the block. */
  readonly ran: number
  /** Why the next transaction was refused. */
  readonly refusal: Refusal | undefined
  readonly isInterrupted: boolean
}

export class BlockSession {
  readonly rules: Rules
  readonly session: EngineSession
  readonly #context: BlockContext
  readonly #header: ExecutableHeader
  readonly #payment: Payment
  readonly #receipts: Receipt[] = []
  readonly #outcomes: Outcome[] = []
  readonly #bloomBits: KnownBits = new Map()

  private constructor(context: BlockContext, header: ExecutableHeader) {
    this.#context = context
    this.#header = header
    this.rules = rulesAt(context.config, header)
    this.#payment = paymentOf(context.config, this.rules, header, context.beneficiary)
    this.session = context.engine.open(
      { ...blockEnvironment(this.rules, header, this.#payment.beneficiary), ...context.environment },
      this.rules,
      context.state,
      context.options,
    )
  }

  /** Opens a session and does the work before the transactions. */
  static async open(context: BlockContext, header: ExecutableHeader): Promise<BlockSession> {
    const block = new BlockSession(context, header)
    await block.#begin()
    return block
  }

  /** Returns the refusal of the first transaction that cannot be in the block; earlier ones are included. */
  async run(
    transactions: readonly EngineTransaction[],
    trace?: TraceRequest,
  ): Promise<RefusedTransaction | undefined> {
    const { ran, refusal, isInterrupted } = await this.runSome(transactions, trace)
    assert(!isInterrupted, 'Only a block that is being built is interrupted.')
    return refusal && { ...refusal, index: ran }
  }

  /** Runs transactions in order until one is refused or interrupted because the time is up. */
  async runSome(transactions: readonly EngineTransaction[], trace?: TraceRequest): Promise<RunEnd> {
    // Receipts before Byzantium each contain a root.
    const step = this.rules.has('byzantium') ? transactions.length : 1
    for (let from = 0; from < transactions.length; from += step) {
      const batch = transactions.slice(from, from + step)
      const { outcomes, refusal, isInterrupted } = await this.session.run(batch, trace)
      for (const [index, outcome] of outcomes.entries()) this.#add(batch[index]!, decodeOutcome(outcome))
      if (refusal !== undefined || isInterrupted) {
        return { ran: from + outcomes.length, refusal, isInterrupted }
      }
    }
    return { ran: transactions.length, refusal: undefined, isInterrupted: false }
  }

  get outcomes(): readonly Outcome[] {
    return this.#outcomes
  }

  /** Does the work after the transactions. */
  async finish({ ommers, withdrawals }: BlockEnd): Promise<BlockExecutionVerdict> {
    const { session, rules } = this
    for (const { address, amountGwei } of withdrawals ?? [])
      session.credit(address, amountGwei * WEI_PER_GWEI)
    const requests = rules.has('prague') ? await this.#requests() : undefined
    if (requests !== undefined && !requests.ok) return requests
    payRewards(session, rewardsOf(rules, this.#payment, this.#header.number, ommers))
    const { gasUsed, blobGasUsed } = session
    return {
      ok: true,
      execution: {
        rules,
        gasUsed,
        blobGasUsed,
        receipts: this.#receipts,
        logsBloom: mergeBlooms(this.#receipts.filter(hasLogs).map((receipt) => receipt.logsBloom)),
        outcomes: this.#outcomes,
        requests: requests?.requests,
        requestsHash: requests && hashRequests(requests.requests),
        changes: session.finish(),
      },
    }
  }

  /** Releases the engine's resources if the block was not finished. */
  [Symbol.dispose](): void {
    this.session[Symbol.dispose]()
  }

  async #begin(): Promise<void> {
    const { rules, session } = this
    const { number, parentHash, parentBeaconBlockRoot } = this.#header
    if (this.#context.config.forks.daoForkBlock === number) applyDaoChange(session)
    if (!rules.hasSystemCalls) return
    // Neither call is checked: if the contract is absent or fails, the block continues.
    if (rules.has('cancun') && parentBeaconBlockRoot !== undefined) {
      await session.systemCall(rules.systemContracts.beaconRoots, hashToBytes(parentBeaconBlockRoot))
    }
    if (rules.has('prague')) {
      await session.systemCall(rules.systemContracts.blockHashes, hashToBytes(parentHash))
    }
  }

  #add({ transaction }: EngineTransaction, outcome: Outcome): void {
    const { logs, isSuccess, gasUsed } = outcome
    const before = this.#receipts.at(-1)?.cumulativeGasUsed ?? 0n
    this.#outcomes.push(outcome)
    this.#receipts.push({
      type: transaction.type,
      outcome: this.#receiptOutcome(isSuccess),
      cumulativeGasUsed: before + gasUsed,
      logsBloom: logs.length === 0 ? NO_LOGS_BLOOM : bloomOfLogs(logs, this.#context.keccak, this.#bloomBits),
      logs,
    })
  }

  #receiptOutcome(isSuccess: boolean): Receipt['outcome'] {
    if (!this.rules.has('byzantium')) return this.#context.rootAfter(this.session.changes())
    return isSuccess ? 1 : 0
  }

  async #requests(): Promise<RequestsVerdict> {
    if (!this.rules.hasSystemCalls) return { ok: true, requests: [] }
    const { deposits, withdrawalRequests, consolidationRequests } = this.rules.systemContracts
    const deposited = depositsFromLogs(this.#logs(), deposits)
    if (!deposited.ok) return { ok: false, reason: 'INVALID_DEPOSIT', sentence: deposited.sentence }
    const withdrawn = await this.#request(withdrawalRequests, REQUEST_TYPE.withdrawal)
    if (!withdrawn.ok) return withdrawn
    const consolidated = await this.#request(consolidationRequests, REQUEST_TYPE.consolidation)
    if (!consolidated.ok) return consolidated
    const requests = [
      ...createRequest(REQUEST_TYPE.deposit, deposited.content),
      ...withdrawn.requests,
      ...consolidated.requests,
    ]
    return { ok: true, requests }
  }

  /** EIP-7002 and EIP-7251: unlike the calls before the transactions, these must succeed. */
  async #request(contract: Address, type: number): Promise<RequestsVerdict> {
    if (!this.session.hasCode(contract)) {
      const sentence = `There is no code at the system contract ${contract}.`
      return { ok: false, reason: 'SYSTEM_CONTRACT_MISSING', sentence }
    }
    const { isSuccess, output, error } = decodeOutcome(
      await this.session.systemCall(contract, new Uint8Array(0)),
    )
    if (isSuccess) return { ok: true, requests: createRequest(type, output) }
    const sentence = `The call to the system contract ${contract} failed: ${error}.`
    return { ok: false, reason: 'SYSTEM_CALL_FAILED', sentence }
  }

  *#logs(): Generator<Log> {
    for (const { logs } of this.#receipts) yield* logs
  }
}

function hasLogs({ logs }: Receipt): boolean {
  return logs.length > 0
}

type RequestsVerdict =
  | { readonly ok: true; readonly requests: readonly Uint8Array[] }
  | { readonly ok: false; readonly reason: BlockRefusal; readonly sentence: string }

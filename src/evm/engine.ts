/**
 * The room `evm` owns the effect of transactions and blocks on the state: rules per fork, engines, block execution.
 * It owns no database, header rules or chain; `chain` calls it to build and import blocks, `api` to simulate calls.
 *
 * This file is the engine interface. Its two implementations agree byte for byte: engine-js (@ethereumjs/evm, runs
 * everywhere) and engine-native (revm). Values go in, compact binary comes out (docs/internals/wire/engine.md), and
 * the only callback is one synchronous function for state.
 */
import type { Address } from '#types/address.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import type { Rules } from './rules.ts'
import type { StateLookup } from './state-lookup.ts'
import type { TraceRequest } from './trace/events.ts'

export type EngineName = 'js' | 'native'

export interface Engine {
  readonly name: EngineName
  /** True if all its sessions are brief. */
  readonly isBrief?: true
  /** Opens an independent session, which reads state through `state` while it lives. */
  open(
    block: BlockEnvironment,
    rules: Rules,
    state: StateLookup,
    options?: Partial<SessionOptions>,
  ): EngineSession
  /**
   * Recovers the signer of each digest, in order; undefined if the signature is impossible. Only for engines that do
   * it on other threads, because crypto.ts is as fast otherwise.
   */
  recoverSenders?(signed: readonly SignedDigest[]): Promise<(Address | undefined)[]>
}

export interface SignedDigest {
  readonly digest: Uint8Array
  readonly r: bigint
  readonly s: bigint
  readonly yParity: number
}

/** The block as code sees it. */
export interface BlockEnvironment {
  readonly number: bigint
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** The result of COINBASE and the recipient of fees: on BFT chains the beneficiary, not the proposer. */
  readonly coinbase: Address
  readonly difficulty: bigint
  /** The mix hash of the header, which PREVRANDAO returns from Paris on. */
  readonly prevRandao: Uint8Array
  /** 0 before London. */
  readonly baseFeePerGas: bigint
  /** 0 before Cancun. */
  readonly blobBaseFee: bigint
}

/**
 * A transaction that was validated on its own (types/transaction/transaction-validate.ts), with its sender. The
 * engine checks the rules that need state or the block.
 */
export interface EngineTransaction {
  readonly transaction: UnsignedTransaction
  readonly sender: Address
  /** Authorities of a simulated transaction, one per authorization; an undefined one is recovered from the signature. */
  readonly authorities?: readonly (Address | undefined)[] | undefined
}

/** Transaction rules that a simulated call may break. Blocks waive none. */
export interface Waivers {
  /** Allows any nonce. */
  readonly nonce: boolean
  /** Allows a sender without the funds for gas and value. */
  readonly balance: boolean
  /** Allows a fee below the base fee. */
  readonly baseFee: boolean
  /** Allows a sender with code (EIP-3607). */
  readonly senderCode: boolean
  /** Allows a gas limit above the remaining gas of the block and the cap of EIP-7825. */
  readonly gasLimit: boolean
}

export interface SessionOptions {
  /** Records the call tree of every transaction in its outcome. */
  readonly callTree: boolean
  /** Maximum bytes of a call tree; the rest is cut, and the outcome says so. */
  readonly callTreeMaxBytes: number
  /** Adds the changes of each transaction to its outcome. */
  readonly changesPerTransaction: boolean
  readonly waivers: Waivers
  /** Upper bound of a transaction's gas limit; unlimited if undefined. */
  readonly gasCap: bigint | undefined
  /** Precompiles that a simulation moves, by old address. */
  readonly movedPrecompiles: ReadonlyMap<Address, Address> | undefined
  /** Any thread may set the bits below at index 0. */
  readonly cancel: Int32Array | undefined
  /**
   * Ends a transaction that takes more than about a millisecond with ENGINE_EXHAUSTED, judged by the gas it spends,
   * the memory it uses, its state lookups and its precompiles. Native engine only.
   */
  readonly isBrief: boolean
}

/** Bit of a cancel cell: the work is not wanted any more and ends with ENGINE_CANCELLED. */
export const CANCEL = 1
/**
 * Bit of a cancel cell: the time is up. `run` reverts the running transaction and reports the interruption, and the
 * session continues. System calls and traced transactions are not interrupted.
 */
export const INTERRUPT = 2

export const NO_WAIVERS: Waivers = {
  nonce: false,
  balance: false,
  baseFee: false,
  senderCode: false,
  gasLimit: false,
}

export const DEFAULT_SESSION_OPTIONS: SessionOptions = {
  callTree: true,
  callTreeMaxBytes: 16 * 1024 * 1024,
  changesPerTransaction: false,
  waivers: NO_WAIVERS,
  gasCap: undefined,
  movedPrecompiles: undefined,
  cancel: undefined,
  isBrief: false,
}

/** One outcome per executed transaction, in order (outcome.ts decodes them). */
export interface RunResult {
  readonly outcomes: readonly Uint8Array[]
  /** Why the transaction after the last outcome was not executed; it and later ones changed nothing. */
  readonly refusal: RefusedTransaction | undefined
  /** True if the transaction after the last outcome was interrupted because the time was up. */
  readonly isInterrupted: boolean
}

export interface RefusedTransaction extends Refusal {
  /** Its position in the argument of `run`. */
  readonly index: number
}

/**
 * The state of one block under execution. It takes one call at a time. A session that threw is over and must not be
 * used.
 */
export interface EngineSession extends Disposable {
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  /**
   * `trace` receives events while these transactions run (docs/internals/wire/trace-events.md). Other transactions
   * of the session may run without it.
   */
  run(transactions: readonly EngineTransaction[], trace?: TraceRequest): MaybePromise<RunResult>
  /** A call by the protocol itself (EIP-4788 and later): from the system address, with 30 million free gas. */
  systemCall(to: Address, input: Uint8Array): Promise<Uint8Array>
  /** Pays rewards and withdrawals. Zero wei leave no empty account if the fork clears empty accounts. */
  credit(address: Address, wei: bigint): void
  /**
   * Moves a complete balance to another account; for the DAO. Both accounts exist afterwards if the fork allows empty
   * ones.
   */
  sweep(from: Address, to: Address): void
  hasCode(address: Address): boolean
  checkpoint(): number
  /** Reverts to a checkpoint, which stays valid; later ones are gone. */
  revert(checkpoint: number): void
  /** Net changes so far (types/state-changes.ts); the session continues. */
  changes(): Uint8Array
  /** Net changes; the session is over. */
  finish(): Uint8Array
  /** Releases memory that Node does not count, in any state of the session. */
  [Symbol.dispose](): void
}

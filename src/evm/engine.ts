/**
 * The room `evm` owns what a transaction and a block do to the state: rules per fork, engines, block execution.
 * It owns no database, no header rules and no chain; `chain` calls it to build and import, `rpc` to simulate.
 *
 * This file is the port of the engine. Two engines stand behind it and agree byte for byte: engine-js
 * (@ethereumjs/evm, runs everywhere) and engine-native (revm). So whatever crosses here is plain values in and
 * compact binary out (docs/wire/engine.md), and the only call back is one synchronous function for state.
 */
import type { Address } from '#types/address.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import type { Rules } from './rules.ts'
import type { StateLookup } from './state-lookup.ts'
import type { TraceRequest } from './trace/records.ts'

export type EngineName = 'js' | 'native'

export interface Engine {
  readonly name: EngineName
  /** State is read through `state` while the session lives; sessions are independent of each other. */
  open(
    block: BlockEnvironment,
    rules: Rules,
    state: StateLookup,
    options?: Partial<SessionOptions>,
  ): EngineSession
  /**
   * Who signed each digest, in order; undefined in the list: nobody can have. Only of an engine that does it beside this
   * thread: elsewhere crypto.ts is as fast.
   */
  recoverSenders?(signed: readonly SignedDigest[]): Promise<(Address | undefined)[]>
}

export interface SignedDigest {
  /** 32 bytes. */
  readonly digest: Uint8Array
  readonly r: bigint
  readonly s: bigint
  readonly yParity: number
}

/** What code can see of the block it runs in. */
export interface BlockEnvironment {
  readonly number: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** What COINBASE pushes and who is paid fees: on BFT chains the beneficiary and not the proposer. */
  readonly coinbase: Address
  readonly difficulty: bigint
  /** The mix hash of the header, 32 bytes: what PREVRANDAO pushes from Paris on. */
  readonly prevRandao: Uint8Array
  /** 0 before London. */
  readonly baseFeePerGas: bigint
  /** 0 before Cancun. */
  readonly blobBaseFee: bigint
}

/**
 * A transaction as an engine takes it: its own rules (types/transaction/transaction-validate.ts) were checked and its sender
 * recovered, on whichever thread. Those rules that need state or the block are the engine's.
 */
export interface EngineTransaction {
  readonly transaction: UnsignedTransaction
  readonly sender: Address
  /**
   * Who gave the authorizations of a simulated transaction, one per authorization; undefined, or undefined in the list: who
   * signed.
   */
  readonly authorities?: readonly (Address | undefined)[] | undefined
}

/** Rules of a transaction that a simulated call does not have to keep. Blocks keep them all. */
export interface Waivers {
  /** The nonce may be any. */
  readonly nonce: boolean
  /** The sender may lack the funds for gas and value: its balance counts as what it needs. */
  readonly balance: boolean
  /** The fee may be below the base fee. */
  readonly baseFee: boolean
  /** The sender may have code (EIP-3607). */
  readonly senderCode: boolean
  /** The gas limit may exceed what is left in the block and the cap of EIP-7825. */
  readonly gasLimit: boolean
}

export interface SessionOptions {
  /** Records the call tree of every transaction in its outcome. */
  readonly callTree: boolean
  /** Bytes of call tree per transaction; what is beyond is left out and the outcome says so. */
  readonly callTreeMaxBytes: number
  /** Adds to every outcome what its transaction alone changed. */
  readonly changesPerTransaction: boolean
  readonly waivers: Waivers
  /** A transaction's gas limit counts as at most this; undefined: as it says. */
  readonly gasCap: bigint | undefined
  /** Precompiles of a simulation that stand elsewhere, from where to where; undefined: none. */
  readonly movedPrecompiles: ReadonlyMap<Address, Address> | undefined
  /** Index 0, to which any thread may add the bits below. */
  readonly cancel: Int32Array | undefined
  /**
   * A transaction that does more than about a millisecond of work ends with the fault ENGINE_EXHAUSTED: by the gas that
   * its code spends, whatever its limit is, the memory it uses, what it asks of the state, and which precompiles it calls.
   * Only the native engine takes it.
   */
  readonly isBrief: boolean
}

/** Bits of a cancel cell. The work is not wanted any more: it ends with the fault ENGINE_CANCELLED. */
export const CANCEL = 1
/**
 * The time is up, and what has run so far is wanted: `run` takes back the transaction that is running, says so, and the
 * session goes on. Neither system calls nor transactions that are traced end by it.
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

/** One outcome per transaction that was executed, in order (outcome.ts decodes them). */
export interface RunResult {
  readonly outcomes: readonly Uint8Array[]
  /** Why the transaction after the last outcome was not executed; it and those behind it changed nothing. */
  readonly refusal: RefusedTransaction | undefined
  /** The transaction after the last outcome was not executed to its end, because the time was up. */
  readonly isInterrupted: boolean
}

export interface RefusedTransaction extends Refusal {
  /** Its place in what `run` was given. */
  readonly index: number
}

/**
 * The state of one block while it is made. One call at a time. A session that threw is over: what it holds
 * is undefined, and only a new one can go on.
 */
export interface EngineSession extends Disposable {
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  /**
   * `trace`: what these transactions do is told while they run (docs/wire/trace-records.md). Transactions before and after
   * them may run in the same session without.
   */
  run(transactions: readonly EngineTransaction[], trace?: TraceRequest): Promise<RunResult>
  /** A call of the protocol itself (EIP-4788 and later): from the system address, 30 million gas that nobody pays. */
  systemCall(to: Address, input: Uint8Array): Promise<Uint8Array>
  /** Rewards and withdrawals. Nothing for nobody: zero wei leave no empty account behind where empty ones are cleared. */
  credit(address: Address, wei: bigint): void
  /** All of one balance to another account; for the DAO. Both exist after it where empty accounts may. */
  sweep(from: Address, to: Address): void
  /** Whether there is code at an address now. */
  hasCode(address: Address): boolean
  checkpoint(): number
  /** Back to a checkpoint, which stays usable; later ones are gone. */
  revert(checkpoint: number): void
  /** Net changes so far (types/state-changes.ts); the session goes on. */
  changes(): Uint8Array
  /** Net changes; the session is over. */
  finish(): Uint8Array
  /** With `using`, in whatever state it is: until it is over it holds memory that Node does not count. */
  [Symbol.dispose](): void
}

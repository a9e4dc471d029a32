/** What a reader of trace records tells (record-reader.ts): whoever builds a shape implements the parts it needs. */
import type { FrameType } from '#evm/call-tree.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import type { Address } from '#types/address.ts'
import type { StackText } from './stack-text.ts'

/** A number where a number is exact, as almost always; its text is right in both cases. */
export type Gas = number | bigint

/** Bytes in what is told are views: copy what is kept beyond the call. */
export interface TraceVisitor {
  /** A transaction begins; its place in the run. */
  begin?(index: number): void
  enter?(frame: FrameEntered): void
  /** The code that the frame entered last runs; not told of a frame without code. */
  code?(code: Uint8Array): void
  /** Before the instruction has done anything: stack and memory are what it finds. */
  step?(step: TraceStep): void
  /** After it; of a call or creation, after the frame that it entered has ended. Not told of one that failed. */
  stepped?(step: TraceStep): void
  exit?(frame: FrameExited): void
  selfdestruct?(from: Address, to: Address, balanceWei: bigint): void
  log?(address: Uint8Array, topics: readonly Uint8Array[], data: Uint8Array): void
  /** After the last frame, in the order of addresses. */
  account?(account: TouchedAccount): void
  end?(end: TransactionEnd): void
}

export interface FrameEntered {
  readonly type: FrameType
  /** 0 for the transaction itself. */
  readonly depth: number
  readonly isPrecompile: boolean
  /** Of callcode and delegatecall, the account whose state is used. */
  readonly from: Address
  /** Whose code runs; the account created, or the zero address if it never had one. */
  readonly to: Address
  /** delegatecall: the value of the call that made it. */
  readonly value: bigint
  /** Stipend included. */
  readonly gas: bigint
  /** Call data or init code; empty unless `calls` was asked for. */
  readonly input: Uint8Array
}

export interface FrameExited {
  readonly error: ExecutionError
  readonly gasUsed: bigint
  /** Empty unless `calls` or `returnData` was asked for. */
  readonly output: Uint8Array
}

/** One object per open frame, used again for its next instruction. */
export interface TraceStep {
  readonly pc: number
  readonly op: number
  /** As in `enter`. */
  readonly depth: number
  /** Before the instruction. */
  readonly gas: Gas
  /**
   * What the instruction takes for itself: of a call or creation without the gas that it hands over. Where it failed for
   * lack of gas, what it would have taken, or 0 if that was not the reason; 0 with every other failure.
   */
  readonly cost: Gas
  /** What is left after it; in `stepped` only. */
  readonly gasAfter: Gas
  /** The counter of the transaction: in `step` before, in `stepped` after the instruction. */
  readonly refund: Gas
  readonly isFault: boolean
  /** A call or creation that got as far as a frame, be it one that was refused at once. */
  readonly isOpen: boolean
  /** In `step` before, in `stepped` after the instruction. Empty unless asked for. */
  readonly stack: StackText
  /** How many items the instruction takes from the stack and puts there (SWAP and DUP: all that they reach). */
  readonly taken: number
  readonly put: number
  /** The memory of the frame, likewise. Only its first `memoryLength` bytes. */
  readonly memory: Uint8Array
  readonly memoryLength: number
  /** What the instruction wrote; in `stepped` only. 0 bytes if none. */
  readonly writtenFrom: number
  readonly writtenLength: number
  /** SLOAD and SSTORE, where storage was asked for: 32 bytes each, else undefined. */
  readonly slot: Uint8Array | undefined
  readonly slotValue: Uint8Array | undefined
}

export interface TouchedAccount {
  readonly address: Address
  /** Undefined: there was none. */
  readonly before: AccountState | undefined
  readonly after: AccountState | undefined
  /** Of `changes`, where the code changed; of `touched`, where there was code. */
  readonly codeBefore: Uint8Array | undefined
  /** Where the code changed. */
  readonly codeAfter: Uint8Array | undefined
  /** In their order. */
  readonly slots: readonly TouchedSlot[]
}

export interface AccountState {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

/** Words of 32 bytes. */
export interface TouchedSlot {
  readonly slot: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export interface TransactionEnd {
  /** Of the outermost frame. */
  readonly error: ExecutionError
  /** After refunds. */
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
}

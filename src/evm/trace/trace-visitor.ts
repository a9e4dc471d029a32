/** Callbacks of the trace event reader (event-reader.ts). A trace format implements those it needs. */
import type { CallFrame } from '#evm/call-tree.ts'
import type { Outcome } from '#evm/outcome.ts'
import type { AccountState } from '#evm/state-lookup.ts'
import type { Address } from '#types/address.ts'
import type { StackText } from './stack-text.ts'

/** A number if it is exact, as almost always; both kinds print correctly. */
export type Gas = number | bigint

/** Byte arguments are views: copy them to keep them. */
export interface TraceVisitor {
  /** A transaction begins, with its position in the run. */
  begin?(index: number): void
  enter?(frame: FrameEntered): void
  /** The code of the frame entered last; not called for a frame without code. */
  code?(code: Uint8Array): void
  /** Before an instruction, with its stack and memory operands. */
  step?(step: TraceStep): void
  /** After an instruction; for a call or creation, after its frame has ended. Not called for a failed one. */
  stepped?(step: TraceStep): void
  exit?(frame: FrameExited): void
  selfdestruct?(from: Address, to: Address, balanceWei: bigint): void
  log?(address: Uint8Array, topics: readonly Uint8Array[], data: Uint8Array): void
  /** Called after the last frame, sorted by address. */
  account?(account: TouchedAccount): void
  end?(end: TransactionEnd): void
}

/** The gas includes the stipend. The input is empty unless `calls` was requested. */
export interface FrameEntered
  extends Pick<CallFrame, 'type' | 'depth' | 'from' | 'to' | 'value' | 'gas' | 'input'> {
  readonly isPrecompile: boolean
}

/** The output is empty unless `calls` or `returnData` was requested. */
export type FrameExited = Pick<CallFrame, 'error' | 'gasUsed' | 'output'>

/** One object per open frame, reused for its next instruction. */
export interface TraceStep {
  readonly pc: number
  readonly op: number
  readonly depth: number
  /** Gas before the instruction. */
  readonly gas: Gas
  /**
   * Gas of the instruction itself, without the gas that a call or creation passes on. After running out of gas, the
   * gas it would have needed if known; 0 after other failures.
   */
  readonly cost: Gas
  /** Gas after the instruction; in `stepped` only. */
  readonly gasAfter: Gas
  /** Refund counter of the transaction: in `step` before, in `stepped` after the instruction. */
  readonly refund: Gas
  readonly isFault: boolean
  /** True for a call or creation that reached a frame, even if it was refused at once. */
  readonly isOpen: boolean
  /** In `step` before, in `stepped` after the instruction. Empty unless requested. */
  readonly stack: StackText
  /** Stack items that the instruction pops and pushes (SWAP and DUP: all that they reach). */
  readonly taken: number
  readonly put: number
  /** The memory of the frame, at the same moments; only its first `memoryLength` bytes are valid. */
  readonly memory: Uint8Array
  readonly memoryLength: number
  /** The range that the instruction wrote; in `stepped` only. 0 bytes if none. */
  readonly writtenFrom: number
  readonly writtenLength: number
  /** Slot and value of SLOAD and SSTORE if storage was requested, 32 bytes each. */
  readonly slot: Uint8Array | undefined
  readonly slotValue: Uint8Array | undefined
}

export interface TouchedAccount {
  readonly address: Address
  /** Undefined if there was none. */
  readonly before: AccountState | undefined
  readonly after: AccountState | undefined
  /** With `changes`, set if the code changed; with `touched`, if there was code. */
  readonly codeBefore: Uint8Array | undefined
  /** Set if the code changed. */
  readonly codeAfter: Uint8Array | undefined
  /** Sorted. */
  readonly slots: readonly TouchedSlot[]
}

/** Words of 32 bytes. */
export interface TouchedSlot {
  readonly slot: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export type TransactionEnd = Pick<Outcome, 'error' | 'gasUsed' | 'gasRefunded'>

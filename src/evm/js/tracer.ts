/** Writes the trace events of a run: frames, transactions and touched state. */

import { frameTypeCode } from '#evm/call-tree.ts'
import { executionErrorCode } from '#evm/execution-error.ts'
import type { AccountState } from '#evm/state-lookup.ts'
import {
  ACCOUNT_FLAG,
  ENTER_FLAG,
  STEP_FLAG,
  TRACE_EVENT,
  type TraceRequest,
  type TraceWants,
} from '#evm/trace/events.ts'
import { DUP1, STACK_TAKEN, SWAP16 } from '#evm/trace/stack-effect.ts'
import type { TransactionEnd } from '#evm/trace/trace-visitor.ts'
import { equalBytes } from '#types/bytes.ts'
import { type FrameEnd, type FrameStart, ZERO_ADDRESS_BYTES } from './call-recorder.ts'
import { TraceEventWriter } from './event-writer.ts'
import type { RunState } from './interpreter.ts'
import { createStep, memoryBytes, type Step } from './step.ts'
import { type AccountDifference, TouchedState } from './touched-state.ts'
import { wordBytes } from './word-bytes.ts'

const NOTHING = new Uint8Array(0)
/** Sizes of events without their sized fields. */
const ENTER_BYTES = 1 + 1 + 1 + 2 + 20 + 20 + 32 + 8 + 4
const ACCOUNT_BYTES = 1 + 20 + 1 + 2 * (8 + 32 + 32) + 2 * 4 + 4
const SLOT_BYTES = 3 * 32

export class Tracer {
  readonly wants: TraceWants
  readonly steps: StepTracer
  /** Undefined unless requested. */
  readonly touched: TouchedState | undefined
  readonly #writer: TraceEventWriter
  #depth = 0
  #index = 0

  constructor({ wants, onEvents }: TraceRequest) {
    this.wants = wants
    this.#writer = new TraceEventWriter(onEvents)
    this.touched = wants.touched || wants.changes ? new TouchedState(wants.touched) : undefined
    this.steps = new StepTracer(wants, this.#writer, this.touched)
  }

  begin(): void {
    this.#writer.startEvent(TRACE_EVENT.begin, SMALL_BYTES)
    this.#writer.uint32(this.#index++)
    this.#depth = 0
    this.steps.begin()
  }

  enter(start: FrameStart, isPrecompile: boolean): void {
    this.steps.open()
    const writer = this.#writer
    const input = this.wants.calls ? start.input : NOTHING
    writer.startEvent(TRACE_EVENT.enter, ENTER_BYTES + input.length)
    writer.uint8(frameTypeCode(start.type))
    writer.uint8(isPrecompile ? ENTER_FLAG.precompile : 0)
    writer.uint16(this.#depth++)
    writer.bytes(start.from)
    writer.bytes(start.to ?? ZERO_ADDRESS_BYTES)
    writer.uint256(start.value)
    writer.uint64(start.gas)
    writer.sized(input)
    this.touched?.address(start.from)
    if (start.to !== undefined) this.touched?.address(start.to)
  }

  code(code: Uint8Array): void {
    if (!this.wants.code) return
    this.#writer.startEvent(TRACE_EVENT.code, SMALL_BYTES + code.length)
    this.#writer.sized(code)
  }

  exit({ error, gasUsed, output }: FrameEnd): void {
    this.#depth--
    const writer = this.#writer
    const shown = this.wants.calls || this.wants.returnData ? output : NOTHING
    writer.startEvent(TRACE_EVENT.exit, SMALL_BYTES + shown.length)
    writer.uint8(executionErrorCode(error))
    writer.uint64(gasUsed)
    writer.sized(shown)
  }

  /** `accounts` are sorted by address. */
  end(result: TransactionEnd, accounts: readonly AccountDifference[]): void {
    for (const account of accounts) this.#account(account)
    const writer = this.#writer
    writer.startEvent(TRACE_EVENT.end, SMALL_BYTES)
    writer.uint8(executionErrorCode(result.error))
    writer.uint64(result.gasUsed)
    writer.uint64(result.gasRefunded)
    writer.flush()
  }

  #account({ address, before, after, codeBefore, codeAfter, slots }: AccountDifference): void {
    const writer = this.#writer
    const isSameCode =
      before !== undefined && after !== undefined && equalBytes(before.codeHash, after.codeHash)
    const hasCodeBefore = codeBefore.length > 0 && (this.wants.touched || !isSameCode)
    const hasCodeAfter = codeAfter.length > 0 && !isSameCode
    writer.startEvent(
      TRACE_EVENT.account,
      ACCOUNT_BYTES + codeBefore.length + codeAfter.length + slots.length * SLOT_BYTES,
    )
    writer.bytes(address)
    writer.uint8(
      (before === undefined ? 0 : ACCOUNT_FLAG.before) |
        (after === undefined ? 0 : ACCOUNT_FLAG.after) |
        (hasCodeBefore ? ACCOUNT_FLAG.codeBefore : 0) |
        (hasCodeAfter ? ACCOUNT_FLAG.codeAfter : 0),
    )
    if (before !== undefined) this.#accountState(before)
    if (after !== undefined) this.#accountState(after)
    if (hasCodeBefore) writer.sized(codeBefore)
    if (hasCodeAfter) writer.sized(codeAfter)
    writer.uint32(slots.length)
    for (const slot of slots) {
      writer.bytes(slot.slot)
      writer.word(slot.before)
      writer.word(slot.after)
    }
  }

  #accountState({ nonce, balance, codeHash }: AccountState): void {
    this.#writer.uint64(nonce)
    this.#writer.uint256(balance)
    this.#writer.bytes(codeHash)
  }
}

const BALANCE = 0x31
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const EXTCODEHASH = 0x3f
const SLOAD = 0x54
const SSTORE = 0x55
const LOG0 = 0xa0
const LOG4 = 0xa4
const SELFDESTRUCT = 0xff
const ADDRESS_FROM = 12
/** Size of a step without the memory it wrote. */
const STEP_BYTES = 192
const SMALL_BYTES = 192

interface Destroyed {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly value: bigint
}

/** Writes the trace events of instructions and notes the state they touch (docs/internals/wire/trace-events.md). */
class StepTracer {
  /** Whether instructions must be observed. */
  readonly isWatching: boolean
  readonly #wants: TraceWants
  readonly #writer: TraceEventWriter
  readonly #touched: TouchedState | undefined
  /** The refund reported last. */
  #refund = 0n
  /** A call or creation whose frame has not begun. */
  #waiting: { readonly step: Step; readonly runState: RunState } | undefined
  #destroyed: Destroyed | undefined

  constructor(wants: TraceWants, writer: TraceEventWriter, touched: TouchedState | undefined) {
    this.isWatching = wants.steps || wants.logs || wants.touched
    this.#wants = wants
    this.#writer = writer
    this.#touched = touched
  }

  begin(): void {
    this.#refund = 0n
    this.#waiting = undefined
    this.#destroyed = undefined
  }

  /** Creates the reusable step of one frame. */
  createStep(): Step {
    return createStep(this.#wants)
  }

  /** Notes an instruction that may enter a frame. */
  wait(step: Step, runState: RunState): void {
    this.#waiting = { step, runState }
  }

  /** Writes the event of an instruction before the frame that it enters. */
  open(): void {
    if (this.#waiting === undefined) return
    const { step, runState } = this.#waiting
    this.#waiting = undefined
    step.isOpen = true
    if (this.#wants.steps) this.#writeStep(step, runState, STEP_FLAG.open)
  }

  destroyed(from: Uint8Array, to: Uint8Array, value: bigint): void {
    this.#destroyed = { from, to, value }
    this.#touched?.address(to)
    // Otherwise the event follows the step.
    if (!this.isWatching) this.#writeDestroyed()
  }

  /** Called after an instruction succeeded. */
  done(step: Step, runState: RunState): void {
    this.#waiting = undefined
    this.#touch(step, runState)
    if (this.#wants.steps) {
      if (step.isOpen) this.#writeResume(step, runState)
      else this.#writeStep(step, runState, 0)
    }
    if (step.op >= LOG0 && step.op <= LOG4 && this.#wants.logs) this.#writeLog(runState)
    if (step.op === SELFDESTRUCT) this.#writeDestroyed()
  }

  /** Called after an instruction failed. */
  fault(step: Step, runState: RunState, isOutOfGas: boolean): void {
    this.#waiting = undefined
    if (!isOutOfGas) step.cost = 0n
    if (this.#wants.steps) this.#writeStep(step, runState, STEP_FLAG.fault)
  }

  #writeStep(step: Step, runState: RunState, state: number): void {
    const { op } = step
    const isWhole = state === 0
    const isOpen = state === STEP_FLAG.open
    const hasPush = isWhole && this.#wants.stack && pushes(step, runState)
    const writes = isWhole ? step.writeLength : 0
    const grows = (isWhole || isOpen) && this.#wants.memory && memoryBytes(runState) !== step.memoryBytes
    const hasStorage = isWhole && this.#wants.storage && (op === SLOAD || op === SSTORE)
    const hasRefund = isWhole && runState.gasRefund !== this.#refund
    const writer = this.#writer
    writer.startEvent(TRACE_EVENT.step, STEP_BYTES + writes)
    writer.uint8(
      state |
        (hasPush ? STEP_FLAG.push : 0) |
        (grows || writes > 0 ? STEP_FLAG.memory : 0) |
        (hasStorage ? STEP_FLAG.storage : 0) |
        (hasRefund ? STEP_FLAG.refund : 0),
    )
    writer.uint8(op)
    writer.uint32(step.pc)
    writer.uint64(step.gas)
    writer.uint64(step.cost)
    if (hasStorage) {
      writer.uint256(step.first)
      writer.uint256(op === SSTORE ? step.second : runState.stack.peek()[0]!)
    }
    if (hasPush) writer.shortWord(runState.stack.peek()[0]!)
    if (grows || writes > 0) this.#writeMemory(runState, step.writeFrom, writes)
    if (hasRefund) this.#writeRefund(runState)
  }

  #writeResume(step: Step, runState: RunState): void {
    const length = Math.min(step.writeLength, Number(runState.interpreter.getReturnDataSize()))
    const hasRefund = runState.gasRefund !== this.#refund
    const writer = this.#writer
    writer.startEvent(TRACE_EVENT.resume, STEP_BYTES + length)
    writer.uint8(
      (this.#wants.stack ? STEP_FLAG.push : 0) |
        (length > 0 ? STEP_FLAG.memory : 0) |
        (hasRefund ? STEP_FLAG.refund : 0),
    )
    writer.uint64(runState.gasLeft)
    if (this.#wants.stack) writer.shortWord(runState.stack.peek()[0]!)
    if (length > 0) this.#writeMemory(runState, step.writeFrom, length)
    if (hasRefund) this.#writeRefund(runState)
  }

  #writeMemory(runState: RunState, from: number, length: number): void {
    this.#writer.uint32(memoryBytes(runState))
    this.#writer.uint32(length === 0 ? 0 : from)
    this.#writer.sized(runState.memory.read(from, length, true))
  }

  #writeRefund({ gasRefund }: RunState): void {
    this.#refund = gasRefund
    this.#writer.uint64(gasRefund)
  }

  #writeLog({ interpreter }: RunState): void {
    const [address, topics, data] = interpreter._result.logs.at(-1)!
    const writer = this.#writer
    writer.startEvent(TRACE_EVENT.log, SMALL_BYTES + data.length)
    writer.bytes(address)
    writer.uint8(topics.length)
    for (const topic of topics) writer.bytes(topic)
    writer.sized(data)
  }

  #writeDestroyed(): void {
    if (this.#destroyed === undefined) return
    const { from, to, value } = this.#destroyed
    this.#destroyed = undefined
    this.#writer.startEvent(TRACE_EVENT.selfdestruct, SMALL_BYTES)
    this.#writer.bytes(from)
    this.#writer.bytes(to)
    this.#writer.uint256(value)
  }

  #touch(step: Step, { interpreter, stateManager }: RunState): void {
    if (!this.#wants.touched) return
    const { op } = step
    if (op === SLOAD || op === SSTORE) {
      const { originalStorageCache } = stateManager
      const address = interpreter.getAddress()
      const slot = wordBytes(step.first)
      // Not a promise: the state answers synchronously (ethereumjs-state.ts).
      const before = originalStorageCache.get(address, slot) as unknown as Uint8Array
      this.#touched?.slot(address.bytes, slot, before)
    } else if (op === BALANCE || op === EXTCODESIZE || op === EXTCODECOPY || op === EXTCODEHASH) {
      this.#touched?.address(wordBytes(step.first).subarray(ADDRESS_FROM))
    }
  }
}

function pushes({ op, stackLength }: Step, { stack }: RunState): boolean {
  if (op >= DUP1 && op <= SWAP16) return false
  return stack.length > stackLength - STACK_TAKEN[op]!
}

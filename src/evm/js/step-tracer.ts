/** Writes trace records of instructions, and notes what they touch (docs/wire/trace-records.md). */
import { RECORD, STEP_FLAG, type TraceWants } from '#evm/trace/records.ts'
import { DUP1, STACK_TAKEN, SWAP16 } from '#evm/trace/stack-effect.ts'
import type { RunState } from './interpreter.ts'
import type { RecordWriter } from './record-writer.ts'
import { createStep, memoryBytes, type Step } from './step.ts'
import type { TouchedState } from './touched-state.ts'
import { wordBytes } from './word-bytes.ts'

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
/** A step beside the memory it wrote. */
const STEP_BYTES = 192
const SMALL_BYTES = 192

interface Destroyed {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly value: bigint
}

export class StepTracer {
  /** Whether instructions have to be watched. */
  readonly isWatching: boolean
  readonly #wants: TraceWants
  readonly #writer: RecordWriter
  readonly #touched: TouchedState | undefined
  /** The last refund that was told. */
  #refund = 0n
  /** A call or creation whose frame has not begun. */
  #waiting: { readonly step: Step; readonly runState: RunState } | undefined
  #destroyed: Destroyed | undefined

  constructor(wants: TraceWants, writer: RecordWriter, touched: TouchedState | undefined) {
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

  /** For the instructions of one frame, one after another. */
  createStep(): Step {
    return createStep(this.#wants)
  }

  /** The instruction may enter a frame. */
  wait(step: Step, runState: RunState): void {
    this.#waiting = { step, runState }
  }

  /** It does: what is known of it so far is told before. */
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
    // Else it is told after the step.
    if (!this.isWatching) this.#writeDestroyed()
  }

  /** The instruction did its work. */
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

  /** The instruction failed. */
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
    writer.record(RECORD.step, STEP_BYTES + writes)
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
    writer.record(RECORD.resume, STEP_BYTES + length)
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
    writer.record(RECORD.log, SMALL_BYTES + data.length)
    writer.bytes(address)
    writer.uint8(topics.length)
    for (const topic of topics) writer.bytes(topic)
    writer.sized(data)
  }

  #writeDestroyed(): void {
    if (this.#destroyed === undefined) return
    const { from, to, value } = this.#destroyed
    this.#destroyed = undefined
    this.#writer.record(RECORD.selfdestruct, SMALL_BYTES)
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
      // Not a promise: our state answers at once (ethereumjs-state.ts).
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

/** Writes the trace records of a run: its frames, its transactions and what they touched. Steps: step-tracer.ts. */
import { FRAME_TYPES } from '#evm/call-tree.ts'
import { type ExecutionError, executionErrorCode } from '#evm/execution-error.ts'
import { ACCOUNT_FLAG, ENTER_FLAG, RECORD, type TraceRequest, type TraceWants } from '#evm/trace/records.ts'
import type { FrameEnd, FrameStart } from './call-recorder.ts'
import { type AccountValue, equalWords } from './cells.ts'
import { RecordWriter } from './record-writer.ts'
import { StepTracer } from './step-tracer.ts'
import { type AccountDifference, TouchedState } from './touched-state.ts'

const NOTHING = new Uint8Array(0)
const NOBODY = new Uint8Array(20)
const TYPE_CODES = new Map(FRAME_TYPES.map((type, code) => [type, code]))
/** Of each record, beside what is sized. */
const ENTER_BYTES = 1 + 1 + 1 + 2 + 20 + 20 + 32 + 8 + 4
const SMALL_BYTES = 128
const ACCOUNT_BYTES = 1 + 20 + 1 + 2 * (8 + 32 + 32) + 2 * 4 + 4
const SLOT_BYTES = 3 * 32

export class Tracer {
  readonly wants: TraceWants
  readonly steps: StepTracer
  /** Undefined unless asked for. */
  readonly touched: TouchedState | undefined
  readonly #writer: RecordWriter
  #depth = 0
  #index = 0

  constructor({ wants, onRecords }: TraceRequest) {
    this.wants = wants
    this.#writer = new RecordWriter(onRecords)
    this.touched = wants.touched || wants.changes ? new TouchedState(wants.touched) : undefined
    this.steps = new StepTracer(wants, this.#writer, this.touched)
  }

  begin(): void {
    this.#writer.record(RECORD.begin, SMALL_BYTES)
    this.#writer.uint32(this.#index++)
    this.#depth = 0
    this.steps.begin()
  }

  enter(start: FrameStart, isPrecompile: boolean): void {
    this.steps.open()
    const writer = this.#writer
    const input = this.wants.calls ? start.input : NOTHING
    writer.record(RECORD.enter, ENTER_BYTES + input.length)
    writer.uint8(TYPE_CODES.get(start.type)!)
    writer.uint8(isPrecompile ? ENTER_FLAG.precompile : 0)
    writer.uint16(this.#depth++)
    writer.bytes(start.from)
    writer.bytes(start.to ?? NOBODY)
    writer.uint256(start.value)
    writer.uint64(start.gas)
    writer.sized(input)
    this.touched?.address(start.from)
    if (start.to !== undefined) this.touched?.address(start.to)
  }

  code(code: Uint8Array): void {
    if (!this.wants.code) return
    this.#writer.record(RECORD.code, SMALL_BYTES + code.length)
    this.#writer.sized(code)
  }

  exit({ error, gasUsed, output }: FrameEnd): void {
    this.#depth--
    const writer = this.#writer
    const told = this.wants.calls || this.wants.returnData ? output : NOTHING
    writer.record(RECORD.exit, SMALL_BYTES + told.length)
    writer.uint8(executionErrorCode(error))
    writer.uint64(gasUsed)
    writer.sized(told)
  }

  /** `accounts` in the order of addresses. */
  end(
    result: { readonly error: ExecutionError; readonly gasUsed: bigint; readonly gasRefunded: bigint },
    accounts: readonly AccountDifference[],
  ): void {
    for (const account of accounts) this.#account(account)
    const writer = this.#writer
    writer.record(RECORD.end, SMALL_BYTES)
    writer.uint8(executionErrorCode(result.error))
    writer.uint64(result.gasUsed)
    writer.uint64(result.gasRefunded)
    writer.flush()
  }

  #account({ address, before, after, codeBefore, codeAfter, slots }: AccountDifference): void {
    const writer = this.#writer
    const isSameCode =
      before !== undefined && after !== undefined && equalWords(before.codeHash, after.codeHash)
    const tellsBefore = codeBefore.length > 0 && (this.wants.touched || !isSameCode)
    const tellsAfter = codeAfter.length > 0 && !isSameCode
    writer.record(
      RECORD.account,
      ACCOUNT_BYTES + codeBefore.length + codeAfter.length + slots.length * SLOT_BYTES,
    )
    writer.bytes(address)
    writer.uint8(
      (before === undefined ? 0 : ACCOUNT_FLAG.before) |
        (after === undefined ? 0 : ACCOUNT_FLAG.after) |
        (tellsBefore ? ACCOUNT_FLAG.codeBefore : 0) |
        (tellsAfter ? ACCOUNT_FLAG.codeAfter : 0),
    )
    if (before !== undefined) this.#accountState(before)
    if (after !== undefined) this.#accountState(after)
    if (tellsBefore) writer.sized(codeBefore)
    if (tellsAfter) writer.sized(codeAfter)
    writer.uint32(slots.length)
    for (const slot of slots) {
      writer.bytes(slot.slot)
      writer.word(slot.before)
      writer.word(slot.after)
    }
  }

  #accountState({ nonce, balance, codeHash }: AccountValue): void {
    this.#writer.uint64(nonce)
    this.#writer.uint256(balance)
    this.#writer.bytes(codeHash)
  }
}

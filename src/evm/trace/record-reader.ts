/**
 * Reads trace records as they come, chunk by chunk, and keeps of each open frame what its next instruction will find:
 * stack and memory. So a shape sees every step whole and holds none of them.
 */
import { FRAME_TYPES } from '#evm/call-tree.ts'
import { EXECUTION_ERRORS, type ExecutionError } from '#evm/execution-error.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { wordAt } from '#types/state-changes.ts'
import { FrameModel } from './frame-model.ts'
import type { AccountState, Gas, TouchedAccount, TouchedSlot, TraceVisitor } from './record-visitor.ts'
import { ACCOUNT_FLAG, ENTER_FLAG, RECORD, STEP_FLAG } from './records.ts'

const WORD_BYTES = 32
const HIGH_UNIT = 2 ** 32
/** Below this the high half of a number of 64 bits leaves it exact. */
const MAX_SAFE_HIGH = 2 ** 21
/** Flags, op, pc, gas and cost. */
const STEP_BYTES = 1 + 1 + 4 + 8 + 8

export class RecordReader {
  readonly #visitor: TraceVisitor
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(this.#bytes.buffer)
  #at = 0
  /** By depth; those deeper than the one that runs wait to be used again. */
  readonly #frames: FrameModel[] = []
  #open = -1
  #refund: Gas = 0

  constructor(visitor: TraceVisitor) {
    this.#visitor = visitor
  }

  /** A chunk as a session hands it over: whole records. */
  read(chunk: Uint8Array): void {
    this.open(chunk)
    this.readUntil(() => false)
  }

  /** A chunk that is read bit by bit. */
  open(chunk: Uint8Array): void {
    this.#bytes = chunk
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    this.#at = 0
  }

  /** Record by record, as long as it is not enough; whether there is more in the chunk. */
  readUntil(isEnough: () => boolean): boolean {
    const end = this.#bytes.length
    while (this.#at < end) {
      this.#record()
      if (isEnough()) return this.#at < end
    }
    return false
  }

  #record(): void {
    const kind = this.#uint8()
    if (kind === RECORD.step) this.#step()
    else if (kind === RECORD.resume) this.#resume()
    else if (kind === RECORD.enter) this.#enter()
    else if (kind === RECORD.exit) this.#exit()
    else if (kind === RECORD.begin) this.#begin()
    else if (kind === RECORD.code) this.#code()
    else if (kind === RECORD.selfdestruct) this.#selfdestruct()
    else if (kind === RECORD.log) this.#log()
    else if (kind === RECORD.account) this.#account()
    else {
      assert(kind === RECORD.end, 'A trace record is of a known kind.')
      this.#end()
    }
  }

  #code(): void {
    const code = this.#sized()
    this.#visitor.code?.(code)
  }

  #begin(): void {
    const index = this.#uint32()
    this.#open = -1
    this.#refund = 0
    this.#visitor.begin?.(index)
  }

  #enter(): void {
    const type = FRAME_TYPES[this.#uint8()]
    const flags = this.#uint8()
    const depth = this.#uint16()
    assert(
      type !== undefined && depth === this.#open + 1,
      'A frame has a known type and is inside the last one.',
    )
    this.#open = depth
    if (depth === this.#frames.length) this.#frames.push(new FrameModel(depth))
    this.#frames[depth]!.reset()
    const frame = {
      type,
      depth,
      isPrecompile: (flags & ENTER_FLAG.precompile) !== 0,
      from: this.#address(),
      to: this.#address(),
      value: this.#uint256(),
      gas: this.#uint64(),
      input: this.#sized(),
    }
    this.#visitor.enter?.(frame)
  }

  #exit(): void {
    const exited = { error: this.#error(), gasUsed: this.#uint64(), output: this.#sized() }
    this.#open--
    this.#visitor.exit?.(exited)
  }

  #step(): void {
    const frame = this.#frames[this.#open]!
    const view = this.#view
    const at = this.#skip(STEP_BYTES)
    const flags = view.getUint8(at)
    frame.begin(view.getUint8(at + 1), view.getUint32(at + 2), gasAt(view, at + 6), gasAt(view, at + 14))
    frame.refund = this.#refund
    frame.isFault = (flags & STEP_FLAG.fault) !== 0
    frame.isOpen = (flags & STEP_FLAG.open) !== 0
    if ((flags & STEP_FLAG.storage) === 0) frame.slot = frame.slotValue = undefined
    else {
      frame.slot = this.#take(WORD_BYTES)
      frame.slotValue = this.#take(WORD_BYTES)
    }
    this.#visitor.step?.(frame)
    if (frame.isOpen) {
      // A call may grow memory before its callee runs.
      this.#effects(frame, flags)
      return
    }
    if (frame.isFault) return
    frame.settle()
    this.#effects(frame, flags)
    this.#visitor.stepped?.(frame)
  }

  #resume(): void {
    const frame = this.#frames[this.#open]!
    const flags = this.#uint8()
    frame.gasAfter = this.#gas()
    frame.settle()
    frame.slot = frame.slotValue = undefined
    this.#effects(frame, flags)
    this.#visitor.stepped?.(frame)
  }

  #effects(frame: FrameModel, flags: number): void {
    if ((flags & STEP_FLAG.push) !== 0) {
      const length = this.#uint8()
      const at = this.#skip(length)
      frame.push(this.#bytes, at, length)
    }
    if ((flags & STEP_FLAG.memory) !== 0) {
      const size = this.#uint32()
      const from = this.#uint32()
      frame.write(size, from, this.#sized())
    }
    if ((flags & STEP_FLAG.refund) !== 0) {
      this.#refund = this.#gas()
    }
    frame.refund = this.#refund
  }

  #selfdestruct(): void {
    const from = this.#address()
    const to = this.#address()
    const balanceWei = this.#uint256()
    this.#visitor.selfdestruct?.(from, to, balanceWei)
  }

  #log(): void {
    const address = this.#take(20)
    const topics: Uint8Array[] = []
    for (let left = this.#uint8(); left > 0; left--) topics.push(this.#take(WORD_BYTES))
    const data = this.#sized()
    this.#visitor.log?.(address, topics, data)
  }

  #account(): void {
    const address = this.#address()
    const flags = this.#uint8()
    const account: TouchedAccount = {
      address,
      before: (flags & ACCOUNT_FLAG.before) === 0 ? undefined : this.#accountState(),
      after: (flags & ACCOUNT_FLAG.after) === 0 ? undefined : this.#accountState(),
      codeBefore: (flags & ACCOUNT_FLAG.codeBefore) === 0 ? undefined : this.#sized(),
      codeAfter: (flags & ACCOUNT_FLAG.codeAfter) === 0 ? undefined : this.#sized(),
      slots: this.#slots(),
    }
    this.#visitor.account?.(account)
  }

  #accountState(): AccountState {
    return { nonce: this.#uint64(), balance: this.#uint256(), codeHash: this.#take(WORD_BYTES) }
  }

  #slots(): TouchedSlot[] {
    const slots: TouchedSlot[] = []
    for (let left = this.#uint32(); left > 0; left--) {
      slots.push({
        slot: this.#take(WORD_BYTES),
        before: this.#take(WORD_BYTES),
        after: this.#take(WORD_BYTES),
      })
    }
    return slots
  }

  #end(): void {
    const end = { error: this.#error(), gasUsed: this.#uint64(), gasRefunded: this.#uint64() }
    this.#visitor.end?.(end)
  }

  #error(): ExecutionError {
    const error = EXECUTION_ERRORS[this.#uint8()]
    assert(error !== undefined, 'A trace record has a known error.')
    return error
  }

  #gas(): Gas {
    return gasAt(this.#view, this.#skip(8))
  }

  #address(): Address {
    return addressFromBytes(this.#take(20))
  }

  #uint8(): number {
    return this.#view.getUint8(this.#skip(1))
  }

  #uint16(): number {
    return this.#view.getUint16(this.#skip(2))
  }

  #uint32(): number {
    return this.#view.getUint32(this.#skip(4))
  }

  #uint64(): bigint {
    return this.#view.getBigUint64(this.#skip(8))
  }

  #uint256(): bigint {
    return wordAt(this.#bytes, this.#skip(WORD_BYTES))
  }

  #sized(): Uint8Array {
    return this.#take(this.#uint32())
  }

  #take(length: number): Uint8Array {
    const at = this.#skip(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Where the bytes skipped begin. */
  #skip(length: number): number {
    const at = this.#at
    this.#at = at + length
    assert(this.#at <= this.#bytes.length, 'A trace record ends before its last field.')
    return at
  }
}

function gasAt(view: DataView, at: number): Gas {
  const high = view.getUint32(at)
  if (high >= MAX_SAFE_HIGH) return view.getBigUint64(at)
  return high * HIGH_UNIT + view.getUint32(at + 4)
}

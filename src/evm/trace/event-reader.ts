/**
 * Reads trace events chunk by chunk and keeps stack and memory of each open frame, so a trace format sees complete
 * steps and stores none.
 */

import { ByteReader } from '#evm/byte-reader.ts'
import { EXECUTION_ERRORS, type ExecutionError } from '#evm/execution-error.ts'
import type { AccountState } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { FRAME_TYPES } from '#types/frame-types.ts'
import { ACCOUNT_FLAG, ENTER_FLAG, STEP_FLAG, TRACE_EVENT } from './events.ts'
import { FrameModel } from './frame-model.ts'
import type { Gas, TouchedAccount, TouchedSlot, TraceVisitor } from './trace-visitor.ts'

const WORD_BYTES = 32
const HIGH_UNIT = 2 ** 32
/** Below this high half, a 64-bit number is exact. */
const MAX_SAFE_HIGH = 2 ** 21
/** Flags, op, pc, gas and cost. */
const STEP_BYTES = 1 + 1 + 4 + 8 + 8

export class TraceEventReader {
  readonly #visitor: TraceVisitor
  #chunk = new ByteReader(new Uint8Array(0))
  /** By depth; deeper ones than the open frame are reused later. */
  readonly #frames: FrameModel[] = []
  #open = -1
  #refund: Gas = 0

  constructor(visitor: TraceVisitor) {
    this.#visitor = visitor
  }

  /** Reads a complete chunk as a session delivers it. */
  read(chunk: Uint8Array): void {
    this.open(chunk)
    this.readUntil(() => false)
  }

  /** Begins a chunk that is read in steps. */
  open(chunk: Uint8Array): void {
    this.#chunk = new ByteReader(chunk)
  }

  /** Reads events until `isEnough`; returns whether the chunk has more. */
  readUntil(isEnough: () => boolean): boolean {
    while (!this.#chunk.isAtEnd) {
      this.#event()
      if (isEnough()) return !this.#chunk.isAtEnd
    }
    return false
  }

  #event(): void {
    const kind = this.#chunk.uint8()
    if (kind === TRACE_EVENT.step) this.#step()
    else if (kind === TRACE_EVENT.resume) this.#resume()
    else if (kind === TRACE_EVENT.enter) this.#enter()
    else if (kind === TRACE_EVENT.exit) this.#exit()
    else if (kind === TRACE_EVENT.begin) this.#begin()
    else if (kind === TRACE_EVENT.code) this.#code()
    else if (kind === TRACE_EVENT.selfdestruct) this.#selfdestruct()
    else if (kind === TRACE_EVENT.log) this.#log()
    else if (kind === TRACE_EVENT.account) this.#account()
    else {
      assert(kind === TRACE_EVENT.end, 'A trace event is of a known kind.')
      this.#end()
    }
  }

  #code(): void {
    const code = this.#chunk.sizedBytes()
    this.#visitor.code?.(code)
  }

  #begin(): void {
    const index = this.#chunk.uint32()
    this.#open = -1
    this.#refund = 0
    this.#visitor.begin?.(index)
  }

  #enter(): void {
    const type = FRAME_TYPES[this.#chunk.uint8()]
    const flags = this.#chunk.uint8()
    const depth = this.#chunk.uint16()
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
      value: this.#chunk.uint256(),
      gas: this.#chunk.uint64(),
      input: this.#chunk.sizedBytes(),
    }
    this.#visitor.enter?.(frame)
  }

  #exit(): void {
    const exited = { error: this.#error(), gasUsed: this.#chunk.uint64(), output: this.#chunk.sizedBytes() }
    this.#open--
    this.#visitor.exit?.(exited)
  }

  #step(): void {
    const frame = this.#frames[this.#open]!
    const { view } = this.#chunk
    const at = this.#chunk.skip(STEP_BYTES)
    const flags = view.getUint8(at)
    frame.begin(view.getUint8(at + 1), view.getUint32(at + 2), gasAt(view, at + 6), gasAt(view, at + 14))
    frame.refund = this.#refund
    frame.isFault = (flags & STEP_FLAG.fault) !== 0
    frame.isOpen = (flags & STEP_FLAG.open) !== 0
    if ((flags & STEP_FLAG.storage) === 0) frame.slot = frame.slotValue = undefined
    else {
      frame.slot = this.#chunk.bytes(WORD_BYTES)
      frame.slotValue = this.#chunk.bytes(WORD_BYTES)
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
    const flags = this.#chunk.uint8()
    frame.gasAfter = this.#gas()
    frame.settle()
    frame.slot = frame.slotValue = undefined
    this.#effects(frame, flags)
    this.#visitor.stepped?.(frame)
  }

  #effects(frame: FrameModel, flags: number): void {
    if ((flags & STEP_FLAG.push) !== 0) {
      const length = this.#chunk.uint8()
      frame.push(this.#chunk.all, this.#chunk.skip(length), length)
    }
    if ((flags & STEP_FLAG.memory) !== 0) {
      const size = this.#chunk.uint32()
      const from = this.#chunk.uint32()
      frame.write(size, from, this.#chunk.sizedBytes())
    }
    if ((flags & STEP_FLAG.refund) !== 0) {
      this.#refund = this.#gas()
    }
    frame.refund = this.#refund
  }

  #selfdestruct(): void {
    const from = this.#address()
    const to = this.#address()
    const balanceWei = this.#chunk.uint256()
    this.#visitor.selfdestruct?.(from, to, balanceWei)
  }

  #log(): void {
    const address = this.#chunk.bytes(20)
    const topics: Uint8Array[] = []
    for (let left = this.#chunk.uint8(); left > 0; left--) topics.push(this.#chunk.bytes(WORD_BYTES))
    const data = this.#chunk.sizedBytes()
    this.#visitor.log?.(address, topics, data)
  }

  #account(): void {
    const address = this.#address()
    const flags = this.#chunk.uint8()
    const account: TouchedAccount = {
      address,
      before: (flags & ACCOUNT_FLAG.before) === 0 ? undefined : this.#accountState(),
      after: (flags & ACCOUNT_FLAG.after) === 0 ? undefined : this.#accountState(),
      codeBefore: (flags & ACCOUNT_FLAG.codeBefore) === 0 ? undefined : this.#chunk.sizedBytes(),
      codeAfter: (flags & ACCOUNT_FLAG.codeAfter) === 0 ? undefined : this.#chunk.sizedBytes(),
      slots: this.#slots(),
    }
    this.#visitor.account?.(account)
  }

  #accountState(): AccountState {
    return {
      nonce: this.#chunk.uint64(),
      balance: this.#chunk.uint256(),
      codeHash: this.#chunk.bytes(WORD_BYTES),
    }
  }

  #slots(): TouchedSlot[] {
    const slots: TouchedSlot[] = []
    for (let left = this.#chunk.uint32(); left > 0; left--) {
      slots.push({
        slot: this.#chunk.bytes(WORD_BYTES),
        before: this.#chunk.bytes(WORD_BYTES),
        after: this.#chunk.bytes(WORD_BYTES),
      })
    }
    return slots
  }

  #end(): void {
    const end = { error: this.#error(), gasUsed: this.#chunk.uint64(), gasRefunded: this.#chunk.uint64() }
    this.#visitor.end?.(end)
  }

  #error(): ExecutionError {
    const error = EXECUTION_ERRORS[this.#chunk.uint8()]
    assert(error !== undefined, 'A trace event has a known error.')
    return error
  }

  #gas(): Gas {
    return gasAt(this.#chunk.view, this.#chunk.skip(8))
  }

  #address(): Address {
    return addressFromBytes(this.#chunk.bytes(20))
  }
}

function gasAt(view: DataView, at: number): Gas {
  const high = view.getUint32(at)
  if (high >= MAX_SAFE_HIGH) return view.getBigUint64(at)
  return high * HIGH_UNIT + view.getUint32(at + 4)
}

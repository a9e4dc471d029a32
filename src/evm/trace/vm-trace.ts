/**
 * vmTrace: every instruction with what it did, those of a callee inside the call. A call is told with its result before
 * what happened in it, so that the frames of the whole transaction have to be at hand: the text then comes in its order,
 * and nothing is kept of what was written.
 */
import type { CallFrame } from '#evm/call-tree.ts'
import { type ExecutionError, isRefused } from '#evm/execution-error.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { formatData } from '#types/hex.ts'
import { isCreation } from './flat-calls.ts'
import { sumOfGas } from './frame-model.ts'
import { OP } from './opcodes.ts'
import type { FrameEntered, Gas, TraceStep, TraceVisitor } from './record-visitor.ts'
import { NO_WANTS, type TraceWants } from './records.ts'
import type { Shape } from './shape.ts'
import { ascii, type TextBuffer } from './text-buffer.ts'

const SELFDESTRUCT_COST = 5000
/** What a jump costs, since a step that failed for another reason than gas does not tell. */
const JUMP_COST: Readonly<Record<number, number>> = { [OP.jump]: 8, [OP.jumpi]: 10 }
/** Failures after which the instruction is told, though it was not executed. */
const TOLD_FAULTS: ReadonlySet<ExecutionError> = new Set(['invalidJump', 'outOfGas', 'staticViolation'])

/** What is known of the transaction before its text begins. */
export interface KnownRun {
  /** In the order of the calls (evm/call-tree.ts). */
  readonly frames: readonly CallFrame[]
  /** Frames that ran off the end of their code, by their place among those that are entered. */
  readonly ranOff: ReadonlySet<number>
  readonly isPrecompile: (address: Address) => boolean
}

export const VM_TRACE_WANTS: TraceWants = { ...NO_WANTS, steps: true, stack: true, memory: true, code: true }

export function vmTrace(out: TextBuffer, known: KnownRun): TraceVisitor {
  return new VmTraceWriter(out, known)
}

/** Which frames ran off the end of their code. */
export function framesThatRanOff(): { readonly shape: Shape; readonly ranOff: ReadonlySet<number> } {
  const ranOff = new Set<number>()
  const open: { readonly index: number; codeLength: number }[] = []
  let frames = 0
  const visitor: TraceVisitor = {
    enter: () => void open.push({ index: frames++, codeLength: 0 }),
    code(code) {
      open.at(-1)!.codeLength = code.length
    },
    step({ op, pc }) {
      const { index, codeLength } = open.at(-1)!
      if (op === OP.stop && pc >= codeLength) ranOff.add(index)
    },
    exit: () => void open.pop(),
  }
  return { shape: { wants: { ...NO_WANTS, steps: true, code: true }, visitor }, ranOff }
}

interface OpenFrame {
  readonly frame: CallFrame
  /** Bytes of its code; undefined: it has none, or it was not told yet. */
  codeLength: number | undefined
  hasSteps: boolean
  /** Not of a frame that was refused before it began. */
  readonly isTold: boolean
}

const COST = ascii('{"cost":')
const MEM = ascii(',"ex":{"mem":')
const NO_MEM_PUSH = ascii(',"ex":{"mem":null,"push":[')
const PUSH = ascii(',"push":[')
const NO_STORE_USED = ascii('],"store":null,"used":')
const PC = ascii('},"pc":')
const NO_SUB = ascii(',"sub":null}')

class VmTraceWriter implements TraceVisitor {
  readonly #out: TextBuffer
  readonly #frames: readonly CallFrame[]
  readonly #ranOff: ReadonlySet<number>
  readonly #isPrecompile: (address: Address) => boolean
  #next = 0
  readonly #open: OpenFrame[] = []
  /** What the instruction that runs does with memory: where, and how many bytes. */
  #memoryFrom = 0
  #memoryLength = 0
  #store: string | undefined

  constructor(out: TextBuffer, { frames, ranOff, isPrecompile }: KnownRun) {
    this.#out = out
    this.#frames = frames.filter(({ type }) => type !== 'selfdestruct')
    this.#ranOff = ranOff
    this.#isPrecompile = isPrecompile
  }

  enter(entered: FrameEntered): void {
    const frame = this.#frames[this.#next++]
    assert(frame?.depth === entered.depth, 'A transaction makes the same calls each time.')
    const isTold = entered.depth === 0 || !isRefused(frame.error)
    if (!isTold) this.#out.text('null')
    this.#open.push({ frame, codeLength: undefined, hasSteps: false, isTold })
  }

  code(code: Uint8Array): void {
    const open = this.#open.at(-1)!
    if (!open.isTold) return
    open.codeLength = code.length
    this.#out.text(`{"code":"${formatData(code)}","ops":[`)
  }

  exit(): void {
    const { codeLength, isTold, frame } = this.#open.pop()!
    if (!isTold) return
    // A creation whose address is taken has init code that never ran.
    const code = isCreation(frame) ? formatData(frame.input) : '0x'
    this.#out.text(codeLength !== undefined ? ']}' : `{"code":"${code}","ops":[]}`)
  }

  step(step: TraceStep): void {
    if (step.isFault) this.#fault(step)
    else if (step.isOpen) this.#call(step)
    else this.#remember(step)
  }

  stepped(step: TraceStep): void {
    if (step.isOpen) {
      this.#out.text('}')
      return
    }
    const open = this.#open.at(-1)!
    // Code that ran off its end.
    if (step.op === OP.stop && step.pc >= open.codeLength!) return
    const { stack, put } = step
    const out = this.#out
    this.#comma(open)
    out.bytes(COST)
    out.decimal(step.cost)
    if (this.#memoryLength === 0) out.bytes(NO_MEM_PUSH)
    else this.#writeMemory(step)
    if (put > 0) out.range(stack.bytes, stack.startOf(put), stack.end)
    if (this.#store === undefined) out.bytes(NO_STORE_USED)
    else out.text(`],"store":${this.#store},"used":`)
    out.decimal(step.gasAfter)
    out.bytes(PC)
    out.decimal(step.pc)
    out.bytes(NO_SUB)
  }

  #fault(step: TraceStep): void {
    const open = this.#open.at(-1)!
    const { error } = open.frame
    if (!TOLD_FAULTS.has(error)) return
    const cost = costOfFault(step, error)
    // As Besu: what would be left, which is less than nothing where gas ran out.
    const isExplained = error === 'invalidJump' || (error === 'outOfGas' && step.depth === 0)
    const left = BigInt(step.gas) - BigInt(cost)
    const ex = isExplained ? `{"mem":null,"push":[],"store":null,"used":${left}}` : 'null'
    this.#comma(open)
    this.#out.text(`{"cost":${cost},"ex":${ex},"pc":${step.pc},"sub":null}`)
  }

  /** Written up to its callee, which follows. */
  #call(step: TraceStep): void {
    const open = this.#open.at(-1)!
    const callee = this.#frames[this.#next]
    assert(callee !== undefined, 'A transaction makes the same calls each time.')
    const { cost, after } = gasOfCall(step, callee, this.#isPrecompile(callee.to))
    const isGood = callee.error === 'none' || callee.error === 'codeNotPaid'
    const pushed = isGood ? (isCreation(callee) ? shortAddress(callee.to) : '0x1') : '0x0'
    const mem = isCreation(callee) || !isGood ? 'null' : this.#outputText(step, callee.output)
    this.#comma(open)
    this.#out.text(
      `{"cost":${cost},"ex":{"mem":${mem},"push":["${pushed}"],"store":null,` +
        `"used":${after}},"pc":${step.pc},"sub":`,
    )
  }

  /**
   * What the callee returned, however much of it the caller has room for. Of one that ran off its end Besu tells
   * what stands in that room.
   */
  #outputText({ op, stack, memory }: TraceStep, output: Uint8Array): string {
    const reach = op === OP.call || op === OP.callcode ? 6 : 5
    const from = stack.number(reach)
    const room = stack.number(reach + 1)
    const isRanOff = output.length === 0 && this.#ranOff.has(this.#next)
    const data = isRanOff ? wordsAt(memory, from, room) : output
    return data.length === 0 ? 'null' : `{"data":"${formatData(data)}","off":${from}}`
  }

  #remember({ stack, op }: TraceStep): void {
    this.#memoryLength = 0
    this.#store = undefined
    if (op < OP.calldatacopy || op > OP.sstore) return
    switch (op) {
      case OP.calldatacopy:
      case OP.codecopy:
      case OP.returndatacopy:
        this.#willWrite(stack.number(1), stack.number(3))
        break
      case OP.extcodecopy:
        this.#willWrite(stack.number(2), stack.number(4))
        break
      case OP.mload:
      case OP.mstore:
        this.#willWrite(stack.number(1), 32)
        break
      case OP.mstore8:
        this.#willWrite(stack.number(1), 1)
        break
      case OP.sstore:
        this.#store = `{"key":"${stack.item(1)}","val":"${stack.item(2)}"}`
    }
  }

  #willWrite(from: number, length: number): void {
    this.#memoryFrom = from
    this.#memoryLength = length
  }

  #writeMemory({ memory }: TraceStep): void {
    const out = this.#out
    out.bytes(MEM)
    out.text('{"data":"0x')
    const to = Math.min(memory.length, this.#memoryFrom + this.#memoryLength)
    out.digits(memory, Math.min(memory.length, this.#memoryFrom), to)
    out.text(`","off":${this.#memoryFrom}}`)
    out.bytes(PUSH)
  }

  #comma(open: OpenFrame): void {
    if (open.hasSteps) this.#out.text(',')
    open.hasSteps = true
  }
}

/**
 * Records do not tell what a jump to nowhere cost, nor what a write to storage must leave; and a selfdestruct is first
 * asked for its own price.
 */
function costOfFault({ op, gas, cost }: TraceStep, error: ExecutionError): Gas {
  if (error === 'invalidJump') return JUMP_COST[op] ?? cost
  if (op === OP.sstore && cost === 0) return Number(CALL_STIPEND)
  return op === OP.selfdestruct && cost > SELFDESTRUCT_COST && gas < SELFDESTRUCT_COST
    ? SELFDESTRUCT_COST
    : cost
}

interface CallGas {
  readonly cost: Gas
  readonly after: Gas
}

/** The cost counts what is handed over, and of a precompile only what it took; what a callee left comes back. */
function gasOfCall(step: TraceStep, callee: CallFrame, isPrecompile: boolean): CallGas {
  const isValueCall = (step.op === OP.call || step.op === OP.callcode) && callee.value > 0n
  const handed = callee.gas - (isValueCall ? CALL_STIPEND : 0n)
  const after = BigInt(step.gas) - BigInt(step.cost) - handed + callee.gas - callee.gasUsed
  const shown = isRefused(callee.error) ? 0n : isPrecompile ? callee.gasUsed : handed
  return { cost: sumOfGas(step.cost, shown), after: sumOfGas(after, 0) }
}

/** Memory that the call is about to grow is zero. */
function wordsAt(memory: Uint8Array, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(memory.subarray(from, from + length))
  return bytes
}

/** An address as a word on the stack. */
function shortAddress(address: string): string {
  return `0x${address.slice(2).replace(/^0+(?=.)/, '')}`
}

/**
 * vmTrace: every instruction with its effects, nesting the callee's instructions in the call. The result of a call is
 * printed before its instructions, so the frames of the complete transaction must be known first; then the text is
 * written in order and nothing is buffered.
 */
import type { CallFrame } from '#evm/call-tree.ts'
import { type ExecutionError, isRefused } from '#evm/execution-error.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { formatData } from '#types/hex.ts'
import { NO_WANTS, type TraceWants } from './events.ts'
import { isCreation } from './flat-calls.ts'
import { sumOfGas } from './frame-model.ts'
import { OP } from './opcodes.ts'
import type { Shape } from './shape.ts'
import { ascii, type TextBuffer } from './text-buffer.ts'
import type { FrameEntered, Gas, TraceStep, TraceVisitor } from './trace-visitor.ts'

const SELFDESTRUCT_COST = 5000
/** Cost of a jump; a step that failed for another reason than gas does not contain it. */
const JUMP_COST: Readonly<Record<number, number>> = { [OP.jump]: 8, [OP.jumpi]: 10 }
/** Failures whose instruction is printed although it was not executed. */
const TOLD_FAULTS: ReadonlySet<ExecutionError> = new Set(['invalidJump', 'outOfGas', 'staticViolation'])

/** Facts about the transaction that are needed before its text. */
export interface KnownRun {
  /** In the order of the calls (evm/call-tree.ts). */
  readonly frames: readonly CallFrame[]
  /** Indexes of entered frames that ran off the end of their code. */
  readonly ranOff: ReadonlySet<number>
  readonly isPrecompile: (address: Address) => boolean
}

export const VM_TRACE_WANTS: TraceWants = { ...NO_WANTS, steps: true, stack: true, memory: true, code: true }

/** Finds the frames that ran off the end of their code. */
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
  /** Length of its code; undefined without code or before the code event. */
  codeLength: number | undefined
  hasSteps: boolean
  /** False for a frame that was refused before it began. */
  readonly isShown: boolean
}

const COST = ascii('{"cost":')
const MEM = ascii(',"ex":{"mem":')
const NO_MEM_PUSH = ascii(',"ex":{"mem":null,"push":[')
const PUSH = ascii(',"push":[')
const NO_STORE_USED = ascii('],"store":null,"used":')
const PC = ascii('},"pc":')
const NO_SUB = ascii(',"sub":null}')

export class VmTrace implements TraceVisitor {
  readonly #out: TextBuffer
  readonly #frames: readonly CallFrame[]
  readonly #known: KnownRun
  #next = 0
  readonly #open: OpenFrame[] = []
  /** Memory range of the running instruction. */
  #memoryFrom = 0
  #memoryLength = 0
  #store: string | undefined

  constructor(out: TextBuffer, known: KnownRun) {
    this.#out = out
    this.#known = known
    this.#frames = known.frames.filter(({ type }) => type !== 'selfdestruct')
  }

  enter(entered: FrameEntered): void {
    const frame = this.#frames[this.#next++]
    assert(frame?.depth === entered.depth, 'A transaction makes the same calls each time.')
    const isShown = entered.depth === 0 || !isRefused(frame.error)
    if (!isShown) this.#out.text('null')
    this.#open.push({ frame, codeLength: undefined, hasSteps: false, isShown })
  }

  code(code: Uint8Array): void {
    const open = this.#open.at(-1)!
    if (!open.isShown) return
    open.codeLength = code.length
    this.#out.text(`{"code":"${formatData(code)}","ops":[`)
  }

  exit(): void {
    const { codeLength, isShown, frame } = this.#open.pop()!
    if (!isShown) return
    // A creation at an existing address has init code that never ran.
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
    // As in Besu: the gas that would be left, negative if it ran out.
    const isExplained = error === 'invalidJump' || (error === 'outOfGas' && step.depth === 0)
    const left = BigInt(step.gas) - BigInt(cost)
    const ex = isExplained ? `{"mem":null,"push":[],"store":null,"used":${left}}` : 'null'
    this.#comma(open)
    this.#out.text(`{"cost":${cost},"ex":${ex},"pc":${step.pc},"sub":null}`)
  }

  /** Writes a call up to its callee, which follows. */
  #call(step: TraceStep): void {
    const open = this.#open.at(-1)!
    const callee = this.#frames[this.#next]
    assert(callee !== undefined, 'A transaction makes the same calls each time.')
    const { cost, after } = gasOfCall(step, callee, this.#known.isPrecompile(callee.to))
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
   * The output of the callee, regardless of the caller's room. For a callee that ran off its end, Besu prints the
   * content of that room.
   */
  #outputText({ op, stack, memory }: TraceStep, output: Uint8Array): string {
    const reach = op === OP.call || op === OP.callcode ? 6 : 5
    const from = stack.number(reach)
    const room = stack.number(reach + 1)
    const isRanOff = output.length === 0 && this.#known.ranOff.has(this.#next)
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
 * Events lack the cost of an invalid jump and the gas that SSTORE must leave; a selfdestruct is first charged its own
 * price.
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

/** The cost includes forwarded gas, for a precompile only the gas it used; unused gas comes back. */
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

/** An address as a stack word. */
function shortAddress(address: string): string {
  return `0x${address.slice(2).replace(/^0+(?=.)/, '')}`
}

/**
 * vmTrace: every instruction with what it did, those of a callee inside the call. A call is told with its result before
 * what happened in it, so that the frames of an earlier run of the same transaction have to be at hand: the text then
 * comes in its order, and nothing is kept of what was written.
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
import { NO_WANTS } from './records.ts'
import type { Shape, Write } from './shape.ts'

const SELFDESTRUCT_COST = 5000
/** What a jump costs, since a step that failed for another reason than gas does not tell. */
const JUMP_COST: Readonly<Record<number, number>> = { [OP.jump]: 8, [OP.jumpi]: 10 }
/** Failures after which the instruction is told, though it was not executed. */
const TOLD_FAULTS: ReadonlySet<ExecutionError> = new Set(['invalidJump', 'outOfGas', 'staticViolation'])

/** What an earlier run of the same transaction told. */
export interface EarlierRun {
  /** In the order of the calls (evm/call-tree.ts). */
  readonly frames: readonly CallFrame[]
  /** Frames that ran off the end of their code, by their place among those that are entered. */
  readonly ranOff: ReadonlySet<number>
  readonly isPrecompile: (address: Address) => boolean
}

export function vmTrace(write: Write, earlier: EarlierRun): Shape {
  const wants = { ...NO_WANTS, steps: true, stack: true, memory: true, code: true }
  return { wants, visitor: new VmTraceWriter(write, earlier) }
}

/** For the earlier run: which frames ran off the end of their code. */
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

class VmTraceWriter implements TraceVisitor {
  readonly #write: Write
  readonly #frames: readonly CallFrame[]
  readonly #ranOff: ReadonlySet<number>
  readonly #isPrecompile: (address: Address) => boolean
  #next = 0
  readonly #open: OpenFrame[] = []
  /** What the instruction that runs does with memory: where, and how many bytes. */
  #memoryFrom = 0
  #memoryLength = 0
  #store = 'null'

  constructor(write: Write, { frames, ranOff, isPrecompile }: EarlierRun) {
    this.#write = write
    this.#frames = frames.filter(({ type }) => type !== 'selfdestruct')
    this.#ranOff = ranOff
    this.#isPrecompile = isPrecompile
  }

  enter(entered: FrameEntered): void {
    const frame = this.#frames[this.#next++]
    assert(frame?.depth === entered.depth, 'A transaction makes the same calls each time.')
    const isTold = entered.depth === 0 || !isRefused(frame.error)
    if (!isTold) this.#write('null')
    this.#open.push({ frame, codeLength: undefined, hasSteps: false, isTold })
  }

  code(code: Uint8Array): void {
    const open = this.#open.at(-1)!
    if (!open.isTold) return
    open.codeLength = code.length
    this.#write(`{"code":"${formatData(code)}","ops":[`)
  }

  exit(): void {
    const { codeLength, isTold, frame } = this.#open.pop()!
    if (!isTold) return
    // A creation whose address is taken has init code that never ran.
    const code = isCreation(frame) ? formatData(frame.input) : '0x'
    this.#write(codeLength !== undefined ? ']}' : `{"code":"${code}","ops":[]}`)
  }

  step(step: TraceStep): void {
    if (step.isFault) this.#fault(step)
    else if (step.isOpen) this.#call(step)
    else this.#remember(step)
  }

  stepped(step: TraceStep): void {
    if (step.isOpen) {
      this.#write('}')
      return
    }
    const open = this.#open.at(-1)!
    // Code that ran off its end.
    if (step.op === OP.stop && step.pc >= open.codeLength!) return
    const { stack, put } = step
    const push = put === 0 ? '' : `"${stack.slice(stack.length - put).join('","')}"`
    const mem = this.#memoryText(step)
    this.#write(
      `${this.#comma(open)}{"cost":${step.cost},"ex":{"mem":${mem},"push":[${push}],"store":${this.#store},` +
        `"used":${step.gasAfter}},"pc":${step.pc},"sub":null}`,
    )
  }

  #fault(step: TraceStep): void {
    const open = this.#open.at(-1)!
    const { error } = open.frame
    if (!TOLD_FAULTS.has(error)) return
    const cost = costOfFault(step, error)
    // As the reference: what would be left, which is less than nothing where gas ran out.
    const isExplained = error === 'invalidJump' || (error === 'outOfGas' && step.depth === 0)
    const left = BigInt(step.gas) - BigInt(cost)
    const ex = isExplained ? `{"mem":null,"push":[],"store":null,"used":${left}}` : 'null'
    this.#write(`${this.#comma(open)}{"cost":${cost},"ex":${ex},"pc":${step.pc},"sub":null}`)
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
    this.#write(
      `${this.#comma(open)}{"cost":${cost},"ex":{"mem":${mem},"push":["${pushed}"],"store":null,` +
        `"used":${after}},"pc":${step.pc},"sub":`,
    )
  }

  /**
   * What the callee returned, however much of it the caller has room for. Of one that ran off its end the reference tells
   * what stands in that room.
   */
  #outputText({ op, stack, memory }: TraceStep, output: Uint8Array): string {
    const reach = op === OP.call || op === OP.callcode ? 6 : 5
    const from = Number(stack[stack.length - reach]!)
    const room = Number(stack[stack.length - reach - 1]!)
    const isRanOff = output.length === 0 && this.#ranOff.has(this.#next)
    const data = isRanOff ? wordsAt(memory, from, room) : output
    return data.length === 0 ? 'null' : `{"data":"${formatData(data)}","off":${from}}`
  }

  #remember(step: TraceStep): void {
    const { stack, op } = step
    const top = stack.length - 1
    this.#memoryLength = 0
    this.#store = 'null'
    if (op < OP.calldatacopy || op > OP.sstore) return
    switch (op) {
      case OP.calldatacopy:
      case OP.codecopy:
      case OP.returndatacopy:
        this.#willWrite(stack[top]!, Number(stack[top - 2]!))
        break
      case OP.extcodecopy:
        this.#willWrite(stack[top - 1]!, Number(stack[top - 3]!))
        break
      case OP.mload:
      case OP.mstore:
        this.#willWrite(stack[top]!, 32)
        break
      case OP.mstore8:
        this.#willWrite(stack[top]!, 1)
        break
      case OP.sstore:
        this.#store = `{"key":"${stack[top]}","val":"${stack[top - 1]}"}`
    }
  }

  #willWrite(from: string, length: number): void {
    this.#memoryFrom = Number(from)
    this.#memoryLength = length
  }

  #memoryText({ memory }: TraceStep): string {
    if (this.#memoryLength === 0) return 'null'
    const data = memory.subarray(this.#memoryFrom, this.#memoryFrom + this.#memoryLength)
    return `{"data":"${formatData(data)}","off":${this.#memoryFrom}}`
  }

  #comma(open: OpenFrame): string {
    if (open.hasSteps) return ','
    open.hasSteps = true
    return ''
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

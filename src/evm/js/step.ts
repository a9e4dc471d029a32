/** One running instruction, with the values it had before it ran. */
import type { TraceWants } from '#evm/trace/events.ts'
import type { RunState } from './interpreter.ts'

const WORD_BYTES = 32

/** Operands with the offset and length of an instruction's memory write, by opcode. */
const WRITES: ReadonlyMap<number, { readonly from: number; readonly length: number }> = new Map([
  [0x37, { from: 0, length: 2 }],
  [0x39, { from: 0, length: 2 }],
  [0x3c, { from: 1, length: 3 }],
  [0x3e, { from: 0, length: 2 }],
  [0x5e, { from: 0, length: 2 }],
  [0xf1, { from: 5, length: 6 }],
  [0xf2, { from: 5, length: 6 }],
  [0xf4, { from: 4, length: 5 }],
  [0xfa, { from: 4, length: 5 }],
])
const MSTORE = 0x52
const MSTORE8 = 0x53

export interface Step {
  op: number
  pc: number
  gas: bigint
  cost: bigint
  stackLength: number
  memoryBytes: number
  /** The two topmost stack items; zero if missing. */
  first: bigint
  second: bigint
  /** The memory range it writes; for a call, the range it may write. Only set if memory is wanted. */
  writeFrom: number
  writeLength: number
  /** True after its event was written: a call or creation that entered a frame. */
  isOpen: boolean
  begin(opcode: number, runState: RunState): void
}

export function createStep(wants: TraceWants): Step {
  return {
    op: 0,
    pc: 0,
    gas: 0n,
    cost: 0n,
    stackLength: 0,
    memoryBytes: 0,
    first: 0n,
    second: 0n,
    writeFrom: 0,
    writeLength: 0,
    isOpen: false,
    begin(opcode, runState) {
      this.op = opcode
      this.pc = runState.programCounter
      this.gas = runState.gasLeft
      this.cost = 0n
      this.stackLength = runState.stack.length
      this.first = itemOf(runState, 0)
      this.second = itemOf(runState, 1)
      this.isOpen = false
      if (!wants.memory) return
      this.memoryBytes = memoryBytes(runState)
      noteWrite(this, runState)
    },
  }
}

export function memoryBytes({ memoryWordCount }: RunState): number {
  return Number(memoryWordCount) * WORD_BYTES
}

function noteWrite(step: Step, runState: RunState): void {
  const place = WRITES.get(step.op)
  step.writeLength = 0
  if (step.op === MSTORE || step.op === MSTORE8) {
    step.writeFrom = Number(step.first)
    step.writeLength = step.op === MSTORE ? WORD_BYTES : 1
  } else if (place !== undefined) {
    // If these are too large for numbers, the instruction fails.
    step.writeFrom = Number(itemOf(runState, place.from))
    step.writeLength = Number(itemOf(runState, place.length))
  }
}

/** Counts from the top; zero if missing. */
function itemOf({ stack }: RunState, place: number): bigint {
  const at = stack.length - 1 - place
  return at < 0 ? 0n : (stack as unknown as { readonly _store: readonly bigint[] })._store[at]!
}

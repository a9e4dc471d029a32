/**
 * The state of a running call frame before its next instruction. The stack is kept as text, because traces print
 * items often.
 */

import { DUP1, DUP16, STACK_TAKEN, SWAP1, SWAP16 } from './stack-effect.ts'
import { StackText } from './stack-text.ts'
import type { Gas, TraceStep } from './trace-visitor.ts'

const FIRST_MEMORY_BYTES = 1024
const NO_MEMORY = new Uint8Array(0)

export class FrameModel implements TraceStep {
  readonly depth: number
  pc = 0
  op = 0
  gas: Gas = 0
  cost: Gas = 0
  gasAfter: Gas = 0
  refund: Gas = 0
  isFault = false
  isOpen = false
  readonly stack = new StackText()
  taken = 0
  put = 0
  memory: Uint8Array = NO_MEMORY
  memoryLength = 0
  writtenFrom = 0
  writtenLength = 0
  slot: Uint8Array | undefined = undefined
  slotValue: Uint8Array | undefined = undefined

  constructor(depth: number) {
    this.depth = depth
  }

  /** Reuses the object for another frame of the same depth. */
  reset(): void {
    this.stack.clear()
    this.memory.fill(0, 0, this.memoryLength)
    this.memoryLength = 0
  }

  begin(op: number, pc: number, gas: Gas, cost: Gas): void {
    this.op = op
    this.pc = pc
    this.gas = gas
    this.cost = cost
    this.taken = STACK_TAKEN[op]!
    this.put = 0
    this.writtenLength = 0
  }

  /** Drops the operands of the instruction from the stack; its result is pushed next. */
  settle(): void {
    if (!this.isOpen) this.gasAfter = difference(this.gas, this.cost)
    const { stack, op } = this
    // The stack was not requested.
    if (stack.length < this.taken) return
    if (op >= DUP1 && op <= SWAP16) this.#duplicateOrSwap(op)
    else stack.drop(this.taken)
  }

  push(bytes: Uint8Array, at: number, length: number): void {
    this.put = 1
    this.stack.push(bytes, at, length)
  }

  write(size: number, from: number, data: Uint8Array): void {
    if (size > this.memory.length) {
      const grown = new Uint8Array(Math.max(size, this.memory.length * 2, FIRST_MEMORY_BYTES))
      grown.set(this.memory)
      this.memory = grown
    }
    this.memoryLength = size
    this.memory.set(data, from)
    this.writtenFrom = from
    this.writtenLength = data.length
  }

  #duplicateOrSwap(op: number): void {
    if (op <= DUP16) {
      this.put = this.taken + 1
      this.stack.duplicate(this.taken)
      return
    }
    this.put = this.taken
    this.stack.swap(op - SWAP1 + 1)
  }
}

function difference(gas: Gas, cost: Gas): Gas {
  if (typeof gas === 'number' && typeof cost === 'number') return gas - cost
  return narrow(BigInt(gas) - BigInt(cost))
}

export function sumOfGas(a: Gas, b: Gas): Gas {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b
  return narrow(BigInt(a) + BigInt(b))
}

function narrow(gas: bigint): Gas {
  return gas <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(gas) : gas
}

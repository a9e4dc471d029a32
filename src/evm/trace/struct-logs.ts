/** Struct logs: a flat list of instructions with stack, memory and storage. */
import { storageOwner } from '#evm/call-tree.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import { formatData, formatDigits } from '#types/hex.ts'
import { NO_WANTS, type TraceWants } from './events.ts'
import { isCreation } from './flat-calls.ts'
import { sumOfGas } from './frame-model.ts'
import { OP, OP_NAMES } from './opcodes.ts'
import { ascii, TextBuffer } from './text-buffer.ts'
import type { FrameEntered, FrameExited, Gas, TraceStep, TraceVisitor } from './trace-visitor.ts'

export interface StructLogOptions {
  readonly stack: boolean
  readonly memory: boolean
  /**
   * `written` shows all slots that the account wrote, at every step; `accessed` shows a slot at the step that reads
   * or writes it.
   */
  readonly storage: 'none' | 'written' | 'accessed'
  readonly returnData: boolean
  /** Maximum entries; 0 for all. */
  readonly limit: number
  /** Instruction names in upper case; all if empty. */
  readonly opcodes: ReadonlySet<string>
}

export function structLogWants({ stack, memory, storage, returnData }: StructLogOptions): TraceWants {
  return { ...NO_WANTS, steps: true, stack, memory, storage: storage !== 'none', returnData }
}

type Stored = Map<string, AccountSlots>

interface AccountSlots {
  /** As hex digits. */
  readonly slots: Map<string, string>
  /** Computed on demand after a change. */
  text: string | undefined
}

interface OpenFrame {
  /** The account whose storage the frame writes. */
  readonly account: string
  /** Slots that the frame and its successful callees wrote, or that the transaction accessed. */
  readonly stored: Stored
  readonly isCreation: boolean
  returnData: string
}

const WORD_BYTES = 32

const PC = ascii('{"pc":')
const GAS = ascii(',"gas":')
const GAS_COST = ascii(',"gasCost":')
const DEPTH = ascii(',"depth":')
const REFUND = ascii(',"refund":')
const STACK = ascii(',"stack":[')
/** By opcode. */
const OPS: readonly Uint8Array[] = OP_NAMES.map((name) => ascii(`,"op":"${name}"`))

/** Writes a list in brackets. */
export class StructLogs implements TraceVisitor {
  readonly #out: TextBuffer
  readonly #options: StructLogOptions
  readonly #open: OpenFrame[] = []
  #count = 0
  /** Text of a step whose earlier members are known only after it. */
  readonly #found = new TextBuffer()
  /** That step. */
  #unfinished: TraceStep | undefined

  constructor(out: TextBuffer, options: StructLogOptions) {
    this.#out = out
    this.#options = options
  }

  begin(): void {
    this.#count = 0
    this.#out.text('[')
  }

  end(): void {
    this.#out.text(']')
  }

  enter(entered: FrameEntered): void {
    if (this.#unfinished !== undefined) this.#finish(handedOver(this.#unfinished, entered))
    // Accessed slots form one list per transaction, because accesses are never reverted.
    const isAccessed = this.#options.storage === 'accessed'
    const stored: Stored = isAccessed ? (this.#open.at(-1)?.stored ?? new Map()) : new Map()
    this.#open.push({
      account: storageOwner(entered),
      stored,
      isCreation: isCreation(entered),
      returnData: '',
    })
  }

  exit({ error, output }: FrameExited): void {
    const frame = this.#open.pop()!
    const caller = this.#open.at(-1)
    if (caller === undefined) return
    // The output of a successful creation is code, and nothing is returned.
    const isReturned = !frame.isCreation || error === 'reverted'
    if (this.#options.returnData) caller.returnData = isReturned ? formatData(output) : ''
    if (error !== 'none' || this.#options.storage !== 'written') return
    for (const [account, { slots }] of frame.stored) {
      for (const [slot, value] of slots) keep(caller.stored, account, slot, value)
    }
  }

  step(step: TraceStep): void {
    const { op } = step
    const { limit, opcodes } = this.#options
    if ((limit > 0 && this.#count >= limit) || (opcodes.size > 0 && !opcodes.has(OP_NAMES[op]!))) {
      if (step.slot !== undefined && step.slotValue !== undefined) this.#keep(step)
      return
    }
    const out = this.#out
    const frame = this.#open.at(-1)!
    if (this.#count++ > 0) out.text(',')
    out.bytes(PC)
    out.decimal(step.pc)
    out.bytes(OPS[op]!)
    out.bytes(GAS)
    out.decimal(step.gas)
    // The cost of a call includes forwarded gas, which the next frame states; others may change the refund.
    if (step.isOpen || (!step.isFault && (op === OP.sstore || op === OP.selfdestruct))) {
      this.#writeFound(this.#found, step, frame)
      this.#unfinished = step
      return
    }
    if (!step.isFault && step.slot !== undefined && step.slotValue !== undefined) this.#keep(step)
    this.#writeCost(step, step.cost)
    this.#writeFound(out, step, frame)
    out.text(`${this.#storageText(step, frame)}}`)
  }

  stepped(step: TraceStep): void {
    if (this.#unfinished === undefined || step.isOpen) return
    if (step.slot !== undefined && step.slotValue !== undefined) this.#keep(step)
    this.#finish(step.cost)
  }

  #finish(cost: Gas): void {
    const step = this.#unfinished!
    this.#unfinished = undefined
    this.#writeCost(step, cost)
    this.#out.append(this.#found)
    this.#found.length = 0
    this.#out.text(`${this.#storageText(step, this.#open.at(-1)!)}}`)
  }

  #writeCost({ depth, refund }: TraceStep, cost: Gas): void {
    const out = this.#out
    out.bytes(GAS_COST)
    out.decimal(cost)
    out.bytes(DEPTH)
    out.decimal(depth + 1)
    if (refund === 0) return
    out.bytes(REFUND)
    out.decimal(refund)
  }

  /** Stack, memory and return data before the instruction. */
  #writeFound(out: TextBuffer, { stack, memory, memoryLength }: TraceStep, { returnData }: OpenFrame): void {
    if (this.#options.stack) {
      out.bytes(STACK)
      out.range(stack.bytes, 0, stack.end)
      out.text(']')
    }
    if (this.#options.memory && memoryLength > 0) writeWords(out, memory, memoryLength)
    if (this.#options.returnData && returnData.length > 2) out.text(`,"returnData":"${returnData}"`)
  }

  #keep({ op, slot, slotValue }: TraceStep): void {
    if (this.#options.storage === 'written' && op !== OP.sstore) return
    const { stored, account } = this.#open.at(-1)!
    keep(stored, account, formatDigits(slot!), formatDigits(slotValue!))
  }

  /** Sorted by slot. */
  #storageText({ slot }: TraceStep, { stored, account }: OpenFrame): string {
    const own = stored.get(account)
    if (own === undefined || (this.#options.storage === 'accessed' && slot === undefined)) return ''
    own.text ??= [...own.slots]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `"0x${key}":"0x${value}"`)
      .join()
    return `,"storage":{${own.text}}`
  }
}

/** Creations are printed without forwarded gas. */
function handedOver({ cost, op }: TraceStep, entered: FrameEntered): Gas {
  if (isCreation(entered)) return cost
  const { gas, value } = entered
  const hasStipend = (op === OP.call || op === OP.callcode) && value > 0n
  return sumOfGas(cost, hasStipend ? gas - CALL_STIPEND : gas)
}

function keep(stored: Stored, account: string, slot: string, value: string): void {
  const own = stored.get(account) ?? { slots: new Map<string, string>(), text: undefined }
  own.slots.set(slot, value)
  own.text = undefined
  stored.set(account, own)
}

function writeWords(out: TextBuffer, memory: Uint8Array, length: number): void {
  out.text(',"memory":[')
  for (let at = 0; at < length; at += WORD_BYTES) {
    out.text(at === 0 ? '"0x' : ',"0x')
    out.digits(memory, at, Math.min(at + WORD_BYTES, length))
    out.text('"')
  }
  out.text(']')
}

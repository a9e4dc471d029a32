/** Struct logs: every instruction as a flat list, with what it found on stack and in memory, and what is stored. */
import { storageOwner } from '#evm/call-tree.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import { formatData, formatDigits } from '#types/hex.ts'
import { isCreation } from './flat-calls.ts'
import { sumOfGas } from './frame-model.ts'
import { OP, OP_NAMES } from './opcodes.ts'
import type { FrameEntered, FrameExited, Gas, TraceStep, TraceVisitor } from './record-visitor.ts'
import { NO_WANTS } from './records.ts'
import type { Shape, Write } from './shape.ts'

export interface StructLogOptions {
  readonly stack: boolean
  readonly memory: boolean
  /** `written`: all that the account wrote, at every step; `accessed`: what it read and wrote, where it does so. */
  readonly storage: 'none' | 'written' | 'accessed'
  readonly returnData: boolean
  /** Entries; 0: all. */
  readonly limit: number
  /** Names of instructions, upper case; empty: all. */
  readonly opcodes: ReadonlySet<string>
}

/** A list in brackets. */
export function structLogs(write: Write, options: StructLogOptions): Shape {
  const { stack, memory, storage, returnData } = options
  const wants = { ...NO_WANTS, steps: true, stack, memory, storage: storage !== 'none', returnData }
  return { wants, visitor: new StructLogWriter(write, options) }
}

/** By account. */
type Stored = Map<string, AccountSlots>

interface AccountSlots {
  /** As hex digits. */
  readonly slots: Map<string, string>
  /** Made anew when it is asked for after a change. */
  text: string | undefined
}

interface OpenFrame {
  /** Whose storage the frame writes. */
  readonly account: string
  /** What the frame and its successful callees wrote, or what the transaction accessed. */
  readonly stored: Stored
  readonly isCreation: boolean
  returnData: string
}

const WORD_BYTES = 32

class StructLogWriter implements TraceVisitor {
  readonly #write: Write
  readonly #options: StructLogOptions
  readonly #open: OpenFrame[] = []
  #count = 0
  /** Of the step that is under way: its text up to what is known only after it. */
  #head = ''
  #tail = ''
  #isShown = false
  #calling: TraceStep | undefined

  constructor(write: Write, options: StructLogOptions) {
    this.#write = write
    this.#options = options
  }

  begin(): void {
    this.#count = 0
    this.#write('[')
  }

  end(): void {
    this.#write(']')
  }

  enter(entered: FrameEntered): void {
    if (this.#isShown) this.#finish(this.#calling!, this.#open.at(-1)!, handedOver(this.#calling!, entered))
    // What is accessed is one list for the whole transaction, since nothing takes an access back.
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
    // The output of a creation that succeeds is code, and nothing is returned.
    const isReturned = !frame.isCreation || error === 'reverted'
    if (this.#options.returnData) caller.returnData = isReturned ? formatData(output) : ''
    if (error !== 'none' || this.#options.storage !== 'written') return
    for (const [account, { slots }] of frame.stored) {
      for (const [slot, value] of slots) keep(caller.stored, account, slot, value)
    }
  }

  step(step: TraceStep): void {
    const { limit, opcodes } = this.#options
    const name = OP_NAMES[step.op]!
    this.#isShown = (limit === 0 || this.#count < limit) && (opcodes.size === 0 || opcodes.has(name))
    if (!this.#isShown) {
      if (step.slot !== undefined && step.slotValue !== undefined) this.#keep(step)
      return
    }
    const frame = this.#open.at(-1)!
    this.#head = `{"pc":${step.pc},"op":"${name}","gas":${step.gas}`
    this.#tail = this.#foundText(step, frame)
    // A call costs what it hands over too, which the frame says that follows.
    if (step.isOpen) this.#calling = step
    else if (step.isFault) this.#finish(step, frame, step.cost)
  }

  stepped(step: TraceStep): void {
    if (!this.#isShown || step.isOpen) return
    if (step.slot !== undefined && step.slotValue !== undefined) this.#keep(step)
    this.#finish(step, this.#open.at(-1)!, step.cost)
  }

  /** Stack, memory and return data, as the instruction finds them. */
  #foundText({ stack, memory, memoryLength }: TraceStep, { returnData }: OpenFrame): string {
    let text = ''
    if (this.#options.stack) text += stack.length === 0 ? ',"stack":[]' : `,"stack":["${stack.join('","')}"]`
    if (this.#options.memory && memoryLength > 0) text += `,"memory":[${wordsText(memory, memoryLength)}]`
    if (this.#options.returnData && returnData.length > 2) text += `,"returnData":"${returnData}"`
    return text
  }

  #finish(step: TraceStep, frame: OpenFrame, cost: Gas): void {
    const refunded = step.refund === 0 ? '' : `,"refund":${step.refund}`
    const comma = this.#count === 0 ? '' : ','
    this.#count++
    const head = `${this.#head},"gasCost":${cost},"depth":${step.depth + 1}`
    this.#write(`${comma}${head}${refunded}${this.#tail}${this.#storageText(step, frame)}}`)
    this.#isShown = false
  }

  #keep({ op, slot, slotValue }: TraceStep): void {
    if (this.#options.storage === 'written' && op !== OP.sstore) return
    const { stored, account } = this.#open.at(-1)!
    keep(stored, account, formatDigits(slot!), formatDigits(slotValue!))
  }

  /** In the order of slots. */
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

/** Creations are told without it. */
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

function wordsText(memory: Uint8Array, length: number): string {
  const digits = formatDigits(memory.subarray(0, length))
  let text = ''
  for (let at = 0; at < digits.length; at += WORD_BYTES * 2) {
    text += `${at === 0 ? '' : ','}"0x${digits.slice(at, at + WORD_BYTES * 2)}"`
  }
  return text
}

/** The result of `callTracer`: the calls of a transaction as a tree, with logs if requested. */
import type { CallFrame } from '#evm/call-tree.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { NO_WANTS } from './events.ts'
import { isCreation } from './flat-calls.ts'
import type { Shape } from './shape.ts'
import type { TraceVisitor } from './trace-visitor.ts'

/** Totals of the transaction, which its outermost call shows instead of its own gas. */
export interface TracedTotals {
  readonly gasLimit: bigint
  readonly gasUsed: bigint
}

export interface CallTracerOptions {
  readonly onlyTopCall: boolean
  /** Log texts by frame, in the order of calls; undefined if not requested. */
  readonly logs: ReadonlyMap<number, readonly string[]> | undefined
}

/** Collects the log texts by frame; frames are counted as in `callTreeTexts`. */
export function collectedLogs(): {
  readonly shape: Shape
  readonly logs: ReadonlyMap<number, readonly string[]>
} {
  const logs = new Map<number, string[]>()
  /** The frame of every log that is kept, in the order of logs. */
  const made: number[] = []
  const open: { readonly index: number; readonly madeBefore: number; calls: number }[] = []
  let frames = 0
  let logIndex = 0
  const visitor: TraceVisitor = {
    enter() {
      const caller = open.at(-1)
      if (caller !== undefined) caller.calls++
      open.push({ index: frames++, madeBefore: made.length, calls: 0 })
    },
    exit({ error }) {
      const { madeBefore } = open.pop()!
      if (error === 'none' || error === 'codeNotPaid') return
      // A failed frame emits no logs, nor do its callees.
      for (const frame of made.splice(madeBefore)) logs.delete(frame)
    },
    selfdestruct() {
      const frame = open.at(-1)!
      frame.calls++
      frames++
    },
    log(address, topics, data) {
      const { index, calls } = open.at(-1)!
      const list = topics.map((topic) => `"${formatData(topic)}"`).join()
      const text = `{"address":"${formatData(address)}","topics":[${list}],"data":"${formatData(data)}","index":"${formatQuantity(logIndex++)}","position":"${formatQuantity(calls)}"}`
      const texts = logs.get(index)
      if (texts === undefined) logs.set(index, [text])
      else texts.push(text)
      made.push(index)
    },
  }
  return { shape: { wants: { ...NO_WANTS, logs: true }, visitor }, logs }
}

/** Frames are in the order of the calls, each before its callees. */
export function* callTreeTexts(
  frames: readonly CallFrame[],
  totals: TracedTotals,
  { onlyTopCall, logs }: CallTracerOptions,
): Generator<string, void, undefined> {
  /** The open calls, outermost first, with the number of calls still to come. */
  const open: { left: number; readonly end: string }[] = []
  for (const [index, frame] of frames.entries()) {
    const caller = open.at(-1)
    if (caller !== undefined) {
      if (frames[index - 1]!.depth >= frame.depth) yield ','
      caller.left--
    }
    const calls = onlyTopCall ? 0 : frame.subtraces
    const own = logs?.get(index)
    const logText = own === undefined ? '' : `,"logs":[${own.join()}]`
    yield `${headText(frame, frame.depth === 0 ? totals : undefined)}${calls > 0 ? ',"calls":[' : ''}`
    open.push({ left: calls, end: `${calls > 0 ? ']' : ''}${logText}${tailText(frame)}` })
    while (open.at(-1)?.left === 0) yield open.pop()!.end
    if (onlyTopCall) return
  }
}

function headText(frame: CallFrame, totals: TracedTotals | undefined): string {
  const { from, to, input, output, error } = frame
  const gas = formatQuantity(totals?.gasLimit ?? frame.gas)
  const gasUsed = formatQuantity(totals?.gasUsed ?? frame.gasUsed)
  const problem = CALL_ERRORS[error]
  const target = isCreation(frame) && problem !== undefined ? '' : `"to":"${to}",`
  const shown = output.length > 0 && (problem === undefined || error === 'reverted')
  const result = shown ? `,"output":"${formatData(output)}"` : ''
  return (
    `{"from":"${from}","gas":"${gas}","gasUsed":"${gasUsed}",${target}"input":"${formatData(input)}"` +
    `${result}${problem === undefined ? '' : `,"error":"${problem}"`}${reasonText(frame)}`
  )
}

function tailText({ type, value }: CallFrame): string {
  const worth = type === 'staticcall' ? '' : `,"value":"${formatQuantity(value)}"`
  return `${worth},"type":"${type.toUpperCase()}"}`
}

function reasonText({ error, output }: CallFrame): string {
  const reason = error === 'reverted' ? decodeRevertReason(output) : undefined
  return reason === undefined ? '' : `,"revertReason":${JSON.stringify(reason)}`
}

/** The error texts that users of this tracer know. */
const CALL_ERRORS: Readonly<Record<ExecutionError, string | undefined>> = {
  none: undefined,
  codeNotPaid: undefined,
  reverted: 'execution reverted',
  outOfGas: 'out of gas',
  stackUnderflow: 'stack underflow',
  stackOverflow: 'stack limit reached 1024',
  invalidJump: 'invalid jump destination',
  invalidOpcode: 'invalid opcode',
  staticViolation: 'write protection',
  insufficientBalance: 'insufficient balance for transfer',
  callTooDeep: 'max call depth exceeded',
  createCollision: 'contract address collision',
  codeTooLarge: 'max code size exceeded',
  invalidCode: 'invalid code: must not begin with 0xef',
  initCodeTooLarge: 'max initcode size exceeded',
  nonceOverflow: 'nonce uint64 overflow',
  precompileFailed: 'invalid input length',
  outOfRange: 'return data out of bounds',
  other: 'execution failed',
}

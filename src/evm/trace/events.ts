/**
 * Trace events: written by engines while they run, in order. docs/internals/wire/trace-events.md is the
 * specification. Every trace format is built from them, in a file next to this one, and none inside an engine.
 */

/** The parts of a trace. A part that is not requested is neither recorded nor copied. */
export interface TraceWants {
  /** Input and output of every frame; the begin and end of frames are always reported. */
  readonly calls: boolean
  /** Every instruction. The next three need it. */
  readonly steps: boolean
  readonly stack: boolean
  readonly memory: boolean
  /** Slot and value of SLOAD and SSTORE. */
  readonly storage: boolean
  /** The return data that instructions see: the output of frames, unless `calls` includes it. */
  readonly returnData: boolean
  /** The code that a frame runs. */
  readonly code: boolean
  readonly logs: boolean
  /** Accounts and slots that the transaction changed, before and after it. */
  readonly changes: boolean
  /** Accounts and slots that the transaction read or changed, with the code of accounts. */
  readonly touched: boolean
}

/** The bits on the wire. */
export const WANT: Readonly<Record<keyof TraceWants, number>> = {
  calls: 1,
  steps: 2,
  stack: 4,
  memory: 8,
  storage: 16,
  returnData: 32,
  code: 64,
  logs: 128,
  changes: 256,
  touched: 512,
}

export const NO_WANTS: TraceWants = {
  calls: false,
  steps: false,
  stack: false,
  memory: false,
  storage: false,
  returnData: false,
  code: false,
  logs: false,
  changes: false,
  touched: false,
}

/** One traced run: the requested parts and their receiver. */
export interface TraceRequest {
  readonly wants: TraceWants
  /**
   * Receives complete events in a chunk of at most CHUNK_BYTES, or one larger event. The buffer is reused after the
   * call. An exception ends the session, so the receiver can enforce a byte budget.
   */
  readonly onEvents: (chunk: Uint8Array) => void
}

/** A chunk is delivered when the next event does not fit, and at the end of every transaction. */
export const CHUNK_BYTES = 64 * 1024

/** The first byte of every event. */
export const TRACE_EVENT = {
  begin: 1,
  enter: 2,
  code: 3,
  step: 4,
  resume: 5,
  exit: 6,
  selfdestruct: 7,
  log: 8,
  account: 9,
  end: 10,
} as const

/** Flags of the event `enter`. */
export const ENTER_FLAG = { precompile: 1 } as const

/** Flags of the events `step` and `resume`. */
export const STEP_FLAG = {
  /** The instruction ended its frame with an error, which the event `exit` contains. */
  fault: 1,
  /** The pushed item follows. */
  push: 2,
  /** Memory grew or was written. */
  memory: 4,
  storage: 8,
  /** The refund counter changed. */
  refund: 16,
  /** A call or creation: its effect on its own frame follows in an event `resume`. */
  open: 32,
} as const

/** Flags of the event `account`. */
export const ACCOUNT_FLAG = { before: 1, after: 2, codeBefore: 4, codeAfter: 8 } as const

export function encodeWants(wants: TraceWants): number {
  let bits = 0
  for (const [name, bit] of Object.entries(WANT)) if (wants[name as keyof TraceWants]) bits |= bit
  return bits
}

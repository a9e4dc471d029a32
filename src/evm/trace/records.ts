/**
 * Trace records: what engines write while they run, in the order in which it happens. docs/wire/trace-records.md is the
 * specification. Every shape of trace is built from them (one file each, beside this one) and none inside an engine.
 */

/** What a trace needs. What is not asked for is neither recorded nor copied. */
export interface TraceWants {
  /** Input and output of every frame; that frames begin and end is always told. */
  readonly calls: boolean
  /** Every instruction. The three below need it. */
  readonly steps: boolean
  readonly stack: boolean
  readonly memory: boolean
  /** Slot and value of SLOAD and SSTORE. */
  readonly storage: boolean
  /** What the last call returned, as instructions see it: the output of frames, where `calls` does not have it already. */
  readonly returnData: boolean
  /** The code that a frame runs. */
  readonly code: boolean
  readonly logs: boolean
  /** What the transaction changed: accounts and slots before and after it. */
  readonly changes: boolean
  /** What the transaction looked at or changed, with the code of accounts. */
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

/** One run traced: what is wanted and who gets it. */
export interface TraceRequest {
  readonly wants: TraceWants
  /**
   * Whole records, some bytes to a chunk of CHUNK_BYTES, or one record that is larger. The bytes are used again as soon as
   * it returns. It may throw, which ends the session with that exception: so a budget of bytes is its to keep.
   */
  readonly onRecords: (chunk: Uint8Array) => void
}

/** A chunk is handed over when the next record does not fit, and at the end of every transaction. */
export const CHUNK_BYTES = 64 * 1024

/** The first byte of every record. */
export const RECORD = {
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

/** Of the record `enter`. */
export const ENTER_FLAG = { precompile: 1 } as const

/** Of the records `step` and `resume`. */
export const STEP_FLAG = {
  /** The instruction ended its frame by an error, which the record `exit` has. */
  fault: 1,
  /** What it pushed follows. */
  push: 2,
  /** Memory grew or was written. */
  memory: 4,
  storage: 8,
  /** The refund counter changed. */
  refund: 16,
  /** A call or creation: what it does to its own frame follows in a record `resume`. */
  open: 32,
} as const

/** Of the record `account`. */
export const ACCOUNT_FLAG = { before: 1, after: 2, codeBefore: 4, codeAfter: 8 } as const

export function encodeWants(wants: TraceWants): number {
  let bits = 0
  for (const [name, bit] of Object.entries(WANT)) if (wants[name as keyof TraceWants]) bits |= bit
  return bits
}

export interface FaultData {
  /** What is wrong and, if a person can act on it, what to do. */
  readonly sentence: string
  readonly [detail: string]: unknown
}

/**
 * Thrown if the caller cannot continue: bad input, a missing file, a limit reached. Code branches on `kind`, people
 * read `data.sentence`. Each edge (jsonrpc, p2p, cli) translates kinds in one file.
 */
export class Fault<Kind extends string = string> extends Error {
  override readonly name = 'Fault'
  readonly kind: Kind
  readonly data: FaultData

  constructor(kind: Kind, data: FaultData, options?: { cause?: unknown }) {
    super(data.sentence, options)
    this.kind = kind
    this.data = data
  }
}

/** Each room creates its faults with such a function, for the kinds listed in its `faults.ts`. */
export function defineFaults<Kind extends string>() {
  return (kind: Kind, data: FaultData | string, options?: { cause?: unknown }): Fault<Kind> =>
    new Fault(kind, typeof data === 'string' ? { sentence: data } : data, options)
}

/** Replaces a Fault of `work` by one of `kind` whose sentence begins with `context`. */
export function withFaultContext<Value>(kind: string, context: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault(kind, { sentence: `${context} ${cause.data.sentence}` }, { cause })
  }
}

/** Returns the result of `work`, or undefined if it throws a fault and the reason is irrelevant. */
export function unlessFault<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

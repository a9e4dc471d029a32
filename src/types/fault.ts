export interface FaultData {
  /** What is wrong and, where a person can act on it, what to do. */
  readonly sentence: string
  readonly [detail: string]: unknown
}

/**
 * Thrown when the caller cannot go on: bad input, a missing file, a limit reached.
 * `kind` is what code branches on, `data.sentence` is what a person reads. Each edge
 * (rpc, p2p, cli) translates kinds in one file of its own.
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

/** Each room creates its faults by such a function, which takes the kinds listed in the room's `faults.ts`. */
export function defineFaults<Kind extends string>() {
  return (kind: Kind, data: FaultData | string, options?: { cause?: unknown }): Fault<Kind> =>
    new Fault(kind, typeof data === 'string' ? { sentence: data } : data, options)
}

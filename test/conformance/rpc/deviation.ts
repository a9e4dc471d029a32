/** A vector that is answered otherwise on purpose: which decision says so, and what is answered instead. */
export interface Deviation {
  /** Its row in docs/reference/compatibility.md. */
  readonly decision: string
  /** The answer that is expected in the place of the recorded one; `folder` is where that stands in the pack. */
  instead(recorded: unknown, folder: string): unknown
}

/** Another result in the same envelope. */
export function resultInstead(decision: string, change: (result: never) => unknown): Deviation {
  return {
    decision,
    instead: (recorded) => {
      const answer = recorded as { readonly result: unknown }
      return { ...answer, result: change(answer.result as never) }
    },
  }
}

/** An error in the place of whatever was recorded. */
export function errorInstead(decision: string, code: number, message: string): Deviation {
  return {
    decision,
    instead: (recorded) => {
      const { jsonrpc, id } = recorded as { readonly jsonrpc: string; readonly id: unknown }
      return { jsonrpc, id, error: { code, message } }
    },
  }
}

/** A vector with a deliberately different answer: the decision and the expected answer. */
export interface Deviation {
  /** Its row in docs/reference/compatibility.md. */
  readonly decision: string
  /** The expected answer in place of the recorded one; `folder` is its folder in the pack. */
  instead(recorded: unknown, folder: string): unknown
}

/** Expects another result in the same envelope. */
export function resultInstead(decision: string, change: (result: never) => unknown): Deviation {
  return {
    decision,
    instead: (recorded) => {
      const answer = recorded as { readonly result: unknown }
      return { ...answer, result: change(answer.result as never) }
    },
  }
}

/** Expects an error in place of the recorded answer. */
export function errorInstead(decision: string, code: number, message: string): Deviation {
  return {
    decision,
    instead: (recorded) => {
      const { jsonrpc, id } = recorded as { readonly jsonrpc: string; readonly id: unknown }
      return { jsonrpc, id, error: { code, message } }
    },
  }
}

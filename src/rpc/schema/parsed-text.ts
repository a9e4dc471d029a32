import { NEVER, type RefinementCtx } from 'zod'
import { Fault } from '#types/fault.ts'

/** For `transform`: a parser that throws faults becomes one that adds issues. */
export function parsedBy<Wire, Value>(parse: (wire: Wire) => Value) {
  return (wire: Wire, context: RefinementCtx): Value => {
    try {
      return parse(wire)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      context.addIssue(error.message)
      return NEVER
    }
  }
}

/** What every shape of trace is: what it wants recorded, and how it reads the records into JSON text. */
import type { TraceVisitor } from './record-visitor.ts'
import type { TraceWants } from './records.ts'

/** Takes JSON text as it comes. It may throw, which ends the work. */
export type Write = (text: string) => void

export interface Shape {
  readonly wants: TraceWants
  readonly visitor: TraceVisitor
}

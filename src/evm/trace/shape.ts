/** A trace format: the events it requests, and the visitor that turns them into JSON text. */
import { TraceEventReader } from './event-reader.ts'
import type { TraceRequest, TraceWants } from './events.ts'
import type { TouchedAccount, TraceVisitor } from './trace-visitor.ts'

/** Receives JSON text in pieces. An exception ends the work. */
export type Write = (text: string) => void

export interface Shape {
  readonly wants: TraceWants
  readonly visitor: TraceVisitor
}

/** A JSON object with a member for each touched account of which `textOf` returns a text. */
export function accountObject(
  write: Write,
  wants: TraceWants,
  textOf: (account: TouchedAccount) => string | undefined,
): Shape {
  let isFirst = true
  return {
    wants,
    visitor: {
      begin() {
        isFirst = true
        write('{')
      },
      account(account) {
        const text = textOf(account)
        if (text === undefined) return
        write(`${isFirst ? '' : ','}"${account.address}":${text}`)
        isFirst = false
      },
      end: () => write('}'),
    },
  }
}

/** The trace request that delivers the events to the format. */
export function requestOf({ wants, visitor }: Shape): TraceRequest {
  const reader = new TraceEventReader(visitor)
  return { wants, onEvents: (chunk) => reader.read(chunk) }
}

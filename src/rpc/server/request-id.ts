import type { Transport } from '#rpc/dispatch/dispatcher.ts'

/** W3C trace context; anything else in the header is not worth a place in the log. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

let count = 0

/** Names a message in log lines. */
export function nameRequest(transport: Transport): string {
  count += 1
  return `${transport}-${count}`
}

export function traceparentOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined
}

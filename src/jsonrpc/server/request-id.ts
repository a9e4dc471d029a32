import type { Transport } from '#jsonrpc/dispatcher.ts'

/** W3C trace context; any other header value is not logged. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

let count = 0

export function nameRequest(transport: Transport): string {
  count += 1
  return `${transport}-${count}`
}

export function traceparentOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined
}

import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { ipBucket } from '#types/ip.ts'

/** Identifies the caller whose share of a common resource a call takes: a user, an address, or this process. */
export function callerKey({
  caller,
  remoteAddress,
}: Partial<Pick<CallContext, 'caller' | 'remoteAddress'>>): string {
  if (caller?.account !== undefined) return `user ${caller.account}`
  return remoteAddress === undefined ? 'this process' : `address ${ipBucket(remoteAddress)}`
}

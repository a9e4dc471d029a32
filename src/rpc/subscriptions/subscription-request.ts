/** What eth_subscribe is asked for, decoded: one of six kinds, each with options of its own. */
import { array, boolean, strictObject, type ZodType } from 'zod'
import { rpcFault } from '#rpc/errors.ts'
import type { BlockLogQuery, LogQuery } from '#rpc/filters/filter.ts'
import { HashWire } from '#rpc/schema/hash.ts'
import { LogFilter } from '#rpc/schema/log-filter.ts'
import type { Hash } from '#types/hash.ts'

export const SUBSCRIPTION_KINDS = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'droppedPendingTransactions',
  'syncing',
  'transactionReceipts',
] as const

export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number]

export type SubscriptionRequest =
  | { readonly kind: 'newHeads' | 'newPendingTransactions'; readonly isFull: boolean }
  | { readonly kind: 'logs'; readonly query: LogQuery | BlockLogQuery }
  | { readonly kind: 'droppedPendingTransactions' | 'syncing' }
  /** `hashes` undefined: of every transaction. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: ReadonlySet<Hash> | undefined }

const MAX_HASHES = 200

const Fullness = strictObject({ includeTransactions: boolean().nullish() })
const Receipts = strictObject({ transactionHashes: array(HashWire).max(MAX_HASHES).nullish() })

/** Throws INVALID_REQUEST, whatever is wrong with the options. */
export function decodeSubscription(kind: SubscriptionKind, options: unknown): SubscriptionRequest {
  switch (kind) {
    case 'newHeads':
    case 'newPendingTransactions':
      return { kind, isFull: decode(Fullness, options ?? {}).includeTransactions ?? false }
    case 'logs':
      return { kind, query: decode(LogFilter.schema, options) }
    case 'transactionReceipts': {
      const { transactionHashes } = decode(Receipts, options ?? {})
      return { kind, hashes: transactionHashes ? new Set(transactionHashes) : undefined }
    }
    case 'droppedPendingTransactions':
    case 'syncing':
      return { kind }
  }
}

function decode<Value>(schema: ZodType<Value>, options: unknown): Value {
  const decoded = schema.safeParse(options)
  if (!decoded.success) throw rpcFault('INVALID_REQUEST')
  return decoded.data
}

/** Beside what it asks for: the subscription itself. */
const BASE_BYTES = 1_024
/** An address or a hash as text, in a list and in a set. */
const VALUE_BYTES = 160

/** About what a subscription takes in memory while it lasts. */
export function subscriptionBytes(request: SubscriptionRequest): number {
  if (request.kind === 'transactionReceipts') return BASE_BYTES + (request.hashes?.size ?? 0) * VALUE_BYTES
  if (request.kind !== 'logs') return BASE_BYTES
  const { addresses, topics } = request.query
  const values = topics.reduce((sum, position) => sum + position.length, addresses.length)
  return BASE_BYTES + values * VALUE_BYTES
}

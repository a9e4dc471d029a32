/** The kinds of `eth_subscribe`. Blocks, logs and receipts are read from the store; pool events come from main. */

import { array, boolean, strictObject, type ZodType } from 'zod'
import type { Live } from '#api/contracts.ts'
import { isInRange } from '#api/filters/filter-changes.ts'
import { LogFilter } from '#api/schema/log-filter.ts'
import { HashWire, type PlaceSelector } from '#api/schema/values.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import {
  type SubscriptionSource,
  Subscriptions,
  type SubscriptionsParts,
} from '#jsonrpc/subscriptions/subscriptions.ts'
import type { HeadEvent } from './head-event.ts'
import { type FollowerParts, HeadFollower } from './head-follower.ts'
import { LogReplays } from './log-replay.ts'
import { PoolEvents } from './pool-events.ts'

export const SUBSCRIPTION_KINDS = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'droppedPendingTransactions',
  'syncing',
  'transactionReceipts',
] as const

export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number]

const MAX_HASHES = 200

const Fullness = strictObject({ includeTransactions: boolean().nullish() })
const Receipts = strictObject({ transactionHashes: array(HashWire).max(MAX_HASHES).nullish() })

interface SourcesParts extends FollowerParts {
  readonly pool: Pick<Live['pool'], 'added' | 'dropped'>
}

export function createEthSubscriptions({
  slots,
  metrics,
  ...parts
}: SourcesParts & Pick<SubscriptionsParts, 'slots' | 'metrics'>): Subscriptions {
  return new Subscriptions({
    notification: 'eth_subscription',
    sources: createSources(parts),
    slots,
    metrics,
  })
}

function createSources(parts: SourcesParts): Readonly<Record<SubscriptionKind, SubscriptionSource>> {
  const follower = new HeadFollower(parts)
  const added = new PoolEvents(parts.pool.added, parts)
  const dropped = new PoolEvents(parts.pool.dropped, parts)
  return {
    newHeads: (options) => {
      const isFull = decodeFullness(options)
      return {
        start: (subscription) =>
          follower.joinFirst((event) => {
            if (event.kind === 'added') subscription.notify(event.blockText(isFull))
          }),
      }
    },
    logs: logsSource(follower, new LogReplays(parts)),
    newPendingTransactions: (options) => {
      const isFull = decodeFullness(options)
      return {
        start: (subscription) =>
          added.join(({ hash }, text) => subscription.notify(isFull ? text() : `"${hash}"`)),
      }
    },
    droppedPendingTransactions: () => ({
      start: (subscription) => dropped.join(({ hash }) => subscription.notify(`"${hash}"`)),
    }),
    // Accepted for Besu's clients; the node reports its progress by eth_syncing only.
    syncing: () => ({ start: () => () => undefined }),
    transactionReceipts: (options) => {
      const { transactionHashes } = decode(Receipts, options ?? {})
      const hashes = transactionHashes && new Set(transactionHashes)
      return {
        values: hashes?.size ?? 0,
        start: (subscription) =>
          follower.join((event) => {
            if (event.kind === 'removed') return
            const text = event.receiptsText(hashes ?? undefined)
            if (text !== undefined) subscription.notify(text)
          }),
      }
    },
  }
}

function logsSource(follower: HeadFollower, replays: LogReplays): SubscriptionSource {
  return (options) => {
    const query = decode(LogFilter.schema, options)
    const from = query.kind === 'range' ? firstBlock(query.fromBlock) : undefined
    return {
      values: query.topics.reduce((sum, position) => sum + position.length, query.addresses.length),
      start: (subscription) => {
        const hear = (event: HeadEvent): void => {
          for (const found of event.logs(query)) {
            if (isInRange(found.block, query)) subscription.notify(event.logText(found))
          }
        }
        if (query.kind !== 'range' || from === undefined) return follower.join(hear)
        const join = (position: HeadMark) => follower.join(hear, position)
        replays.start({ subscription, query, from, join })
        return () => follower.leave(hear)
      },
    }
  }
}

/** The first block of the past to report; undefined if the subscription begins at the head. */
function firstBlock(selector: PlaceSelector): number | undefined {
  if (selector.kind === 'number') return Number(selector.number)
  return selector.tag === 'earliest' ? 0 : undefined
}

function decodeFullness(options: unknown): boolean {
  return decode(Fullness, options ?? {}).includeTransactions ?? false
}

function decode<Value>(schema: ZodType<Value>, options: unknown): Value {
  const decoded = schema.safeParse(options)
  if (!decoded.success) throw rpcFault('INVALID_REQUEST')
  return decoded.data
}

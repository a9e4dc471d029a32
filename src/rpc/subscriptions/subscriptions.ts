/**
 * The subscriptions of one server: who asked for what, and what each is told. Blocks, logs and receipts are read here from
 * the store, as heads are announced; news of the pool come from main. A subscription ends with its connection.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { PendingTransaction } from '#pool/contract.ts'
import type { Live } from '#rpc/contracts.ts'
import type { Connection } from '#rpc/dispatch/dispatcher.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { BlockLogQuery, LogQuery } from '#rpc/filters/filter.ts'
import type { HeadsSource } from '#rpc/resources.ts'
import type { PlaceSelector } from '#rpc/schema/block-selector.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { transactionV } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { BlockTeller } from './block-teller.ts'
import { HeadFollower } from './head-follower.ts'
import { LogReplays } from './log-replay.ts'
import { PendingNews } from './pending-news.ts'
import { Subscription } from './subscription.ts'
import type { SubscriptionMetrics } from './subscription-metrics.ts'
import { type SubscriptionRequest, subscriptionBytes } from './subscription-request.ts'
import type { SubscriptionSlots } from './subscription-slots.ts'

/** Of one connection, whatever the option allows in all. */
const CONNECTION_MAX = 10_000
/** What subscriptions ask for, addresses and topics above all: of one connection, and of all on this server. */
const CONNECTION_MAX_BYTES = 8 * 1024 * 1024
const SERVER_MAX_BYTES = 48 * 1024 * 1024

export interface SubscriptionsParts {
  readonly chain: ChainView
  readonly heads: HeadsSource
  readonly pool: Pick<Live['pool'], 'added' | 'dropped'>
  readonly slots: SubscriptionSlots
  readonly metrics: SubscriptionMetrics
  readonly clock: Clock
  readonly log: Log
}

/** Of one connection. */
interface Subscriber {
  readonly open: Map<string, { readonly subscription: Subscription; readonly leave: () => void }>
  bytes: number
}

export class Subscriptions {
  readonly #parts: SubscriptionsParts
  readonly #subscribers = new Map<Connection, Subscriber>()
  readonly #follower: HeadFollower<Subscription>
  readonly #replays: LogReplays
  readonly #added: PendingNews<PendingTransaction, Subscription>
  readonly #dropped: PendingNews<PendingTransaction, Subscription>
  #bytes = 0

  constructor(parts: SubscriptionsParts) {
    const { chain, pool, log } = parts
    this.#parts = parts
    const teller = new BlockTeller(chain)
    this.#follower = new HeadFollower(parts, (step) => teller.prepare(step))
    this.#replays = new LogReplays({
      chain,
      log,
      join: (subscription, position) => this.#follower.join(subscription, position),
    })
    this.#added = new PendingNews(pool.added, tellPending, log)
    this.#dropped = new PendingNews(pool.dropped, tellPending, log)
  }

  /** Its number as text. */
  open(connection: Connection, request: SubscriptionRequest): string {
    const subscriber = this.#subscribers.get(connection) ?? { open: new Map(), bytes: 0 }
    const bytes = subscriptionBytes(request)
    if (subscriber.open.size >= CONNECTION_MAX) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS')
    if (subscriber.bytes + bytes > CONNECTION_MAX_BYTES || this.#bytes + bytes > SERVER_MAX_BYTES) {
      throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS', {
        reason: 'together they name too many addresses, topics or hashes',
      })
    }
    const number = this.#parts.slots.take()
    if (number === undefined) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS')
    const isFirst = !this.#subscribers.has(connection)
    this.#subscribers.set(connection, subscriber)
    const subscription = new Subscription(formatQuantity(number), request, connection)
    subscriber.open.set(subscription.id, { subscription, leave: this.#join(subscription) })
    subscriber.bytes += bytes
    this.#bytes += bytes
    this.#parts.metrics.onOpened(request.kind)
    // At once where the client has left by now.
    if (isFirst) connection.onClose(() => this.#dismiss(connection))
    return subscription.id
  }

  /** False: this connection has none of that number. */
  close(connection: Connection, id: string): boolean {
    const subscriber = this.#subscribers.get(connection)
    const found = subscriber?.open.get(id)
    if (subscriber === undefined || found === undefined) return false
    const { subscription, leave } = found
    subscription.end()
    leave()
    subscriber.open.delete(id)
    const bytes = subscriptionBytes(subscription.request)
    subscriber.bytes -= bytes
    this.#bytes -= bytes
    this.#parts.slots.release()
    this.#parts.metrics.onEnded(subscription.request.kind)
    return true
  }

  /** Nobody is told anything any more. */
  end(): void {
    for (const connection of [...this.#subscribers.keys()]) this.#dismiss(connection)
  }

  #dismiss(connection: Connection): void {
    const subscriber = this.#subscribers.get(connection)
    for (const id of [...(subscriber?.open.keys() ?? [])]) this.close(connection, id)
    this.#subscribers.delete(connection)
  }

  /** Returns the way to leave again. */
  #join(subscription: Subscription): () => void {
    const { request } = subscription
    switch (request.kind) {
      case 'newHeads':
      case 'transactionReceipts':
        return this.#follow(subscription)
      case 'logs':
        return this.#followLogs(subscription, request.query)
      case 'newPendingTransactions':
        this.#added.join(subscription)
        return () => this.#added.leave(subscription)
      case 'droppedPendingTransactions':
        this.#dropped.join(subscription)
        return () => this.#dropped.leave(subscription)
      case 'syncing':
        // The node has no peers to synchronise with, so that nothing changes about it.
        return () => undefined
    }
  }

  #follow(subscription: Subscription): () => void {
    this.#follower.join(subscription)
    return () => this.#follower.leave(subscription)
  }
  /** From a block of the past on where one is named. */
  #followLogs(subscription: Subscription, query: LogQuery | BlockLogQuery): () => void {
    const from = query.kind === 'range' ? firstBlock(query.fromBlock) : undefined
    if (query.kind !== 'range' || from === undefined) return this.#follow(subscription)
    this.#replays.start(subscription, query, from)
    return () => this.#follower.leave(subscription)
  }
}

/** undefined: whatever comes from now on. */
function firstBlock(selector: PlaceSelector): number | undefined {
  if (selector.kind === 'number') return Number(selector.number)
  return selector.tag === 'earliest' ? 0 : undefined
}

function tellPending(pending: PendingTransaction, subscriptions: ReadonlySet<Subscription>): void {
  let full: string | undefined
  for (const subscription of subscriptions) {
    const { request } = subscription
    if (request.kind !== 'newPendingTransactions' || !request.isFull) {
      subscription.tell(`"${pending.hash}"`)
    } else {
      full ??= pendingTransactionText(pending)
      subscription.tell(full)
    }
  }
}

/** A pending transaction as subscribers get it: fewer members than one of a block, in Besu's order. */
function pendingTransactionText({ encoded, sender }: PendingTransaction): string {
  const transaction = decodeTransaction(encoded)
  const { type, yParity, r, s } = transaction
  return JSON.stringify({
    from: sender,
    gas: formatQuantity(transaction.gasLimit),
    gasPrice: 'gasPrice' in transaction ? formatQuantity(transaction.gasPrice) : undefined,
    hash: transaction.hash,
    input: formatData(transaction.data),
    nonce: formatQuantity(transaction.nonce),
    to: transaction.to ?? undefined,
    type: formatQuantity(type),
    value: formatQuantity(transaction.value),
    yParity: type === 0 ? undefined : formatQuantity(yParity),
    v: formatQuantity(transactionV(transaction, yParity)),
    r: formatQuantity(r),
    s: formatQuantity(s),
  })
}

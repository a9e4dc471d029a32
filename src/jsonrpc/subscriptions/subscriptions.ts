/** The subscriptions of one server, whatever their sources announce. A subscription ends with its connection. */

import type { Connection } from '#jsonrpc/dispatcher.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'
import { assert } from '#types/assert.ts'
import { formatQuantity } from '#types/hex.ts'
import type { SubscriptionSlots } from './subscription-slots.ts'

/** Maximum subscriptions per connection; the option limits the sum of all connections. */
const CONNECTION_MAX = 10_000
/** Memory that the requests of open subscriptions take, per connection and per server. */
const CONNECTION_MAX_BYTES = 8 * 1024 * 1024
const SERVER_MAX_BYTES = 48 * 1024 * 1024
/** Memory of a subscription besides the values that it names. */
const BASE_BYTES = 1_024
/** Longer results are not copied for every subscriber. */
const COPIED_MAX_CHARS = 8 * 1024
/** Memory of an address or a hash as text, in a list and in a set. */
const VALUE_BYTES = 160

/** Parses the options of a request for one kind of subscription; throws INVALID_REQUEST if they are wrong. */
export type SubscriptionSource = (options: unknown) => SubscriptionRequest

export interface SubscriptionRequest {
  /** Number of addresses, topics and hashes that the request names. */
  readonly values?: number
  /** Begins to notify the subscriber; returns the function that stops it. */
  start(subscription: Subscription): () => void
}

/** An open subscription, as its source sees it. */
export class Subscription {
  readonly id: string
  readonly connection: Connection
  readonly #notification: string
  readonly #prefix: string
  isOpen = true

  constructor(id: string, connection: Connection, notification: string) {
    this.id = id
    this.connection = connection
    this.#notification = notification
    this.#prefix = `{"subscription":"${id}","result":`
  }

  /** `result` is JSON text, so a source serialises it once for all its subscribers. */
  notify(result: string): void {
    if (!this.isOpen) return
    const isCopied = result.length <= COPIED_MAX_CHARS
    const params = isCopied
      ? `${this.#prefix}${result}}`
      : { before: this.#prefix, shared: result, after: '}' }
    this.connection.notify(this.#notification, params)
  }
}

export interface SubscriptionsParts {
  readonly sources: Readonly<Record<string, SubscriptionSource>>
  /** The method name of notifications. */
  readonly notification: string
  readonly slots: SubscriptionSlots
  readonly metrics: SubscriptionMetrics
}

interface OpenSubscription {
  readonly subscription: Subscription
  readonly source: string
  readonly bytes: number
  readonly stop: () => void
}

interface Subscriber {
  readonly open: Map<string, OpenSubscription>
  bytes: number
}

export class Subscriptions {
  readonly #parts: SubscriptionsParts
  readonly #subscribers = new Map<Connection, Subscriber>()
  #bytes = 0

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts
  }

  /** Returns the subscription id. */
  open(connection: Connection, name: string, options: unknown): string {
    const { sources, notification, slots, metrics } = this.#parts
    const source = sources[name]
    assert(source !== undefined, `${name} is a source of subscriptions.`)
    const { values = 0, start } = source(options)
    const subscriber = this.#subscribers.get(connection) ?? { open: new Map(), bytes: 0 }
    const bytes = BASE_BYTES + values * VALUE_BYTES
    if (subscriber.open.size >= CONNECTION_MAX) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS')
    if (subscriber.bytes + bytes > CONNECTION_MAX_BYTES || this.#bytes + bytes > SERVER_MAX_BYTES) {
      throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS', {
        reason: 'together they name too many addresses, topics or hashes',
      })
    }
    const number = slots.take()
    if (number === undefined) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS')
    const isFirst = !this.#subscribers.has(connection)
    this.#subscribers.set(connection, subscriber)
    const subscription = new Subscription(formatQuantity(number), connection, notification)
    subscriber.open.set(subscription.id, { subscription, source: name, bytes, stop: start(subscription) })
    subscriber.bytes += bytes
    this.#bytes += bytes
    metrics.onOpened(name)
    // Calls back at once if the client has left meanwhile.
    if (isFirst) connection.onClose(() => this.#dismiss(connection))
    return subscription.id
  }

  /** Returns false if this connection has no such subscription. */
  close(connection: Connection, id: string): boolean {
    const subscriber = this.#subscribers.get(connection)
    const found = subscriber?.open.get(id)
    if (subscriber === undefined || found === undefined) return false
    const { subscription, source, bytes, stop } = found
    subscription.isOpen = false
    stop()
    subscriber.open.delete(id)
    subscriber.bytes -= bytes
    this.#bytes -= bytes
    this.#parts.slots.release()
    this.#parts.metrics.onEnded(source)
    return true
  }

  end(): void {
    for (const connection of [...this.#subscribers.keys()]) this.#dismiss(connection)
  }

  #dismiss(connection: Connection): void {
    const subscriber = this.#subscribers.get(connection)
    for (const id of [...(subscriber?.open.keys() ?? [])]) this.close(connection, id)
    this.#subscribers.delete(connection)
  }
}

export type SubscriptionMetrics = ReturnType<typeof createSubscriptionMetrics>

export const SUBSCRIBED: CounterRow<'type'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'subscription_subscribe',
  help: 'Subscriptions since the start',
  labels: ['type'],
}

export const UNSUBSCRIBED: CounterRow<'type'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'subscription_unsubscribe',
  help: 'Unsubscriptions since the start',
  labels: ['type'],
}

export function createSubscriptionMetrics(metrics: Metrics) {
  const subscribed = metrics.counter(SUBSCRIBED)
  const unsubscribed = metrics.counter(UNSUBSCRIBED)
  return {
    onOpened: (type: string) => subscribed.inc({ type }),
    onEnded: (type: string) => unsubscribed.inc({ type }),
  }
}

import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'
import type { SubscriptionKind } from './subscription-request.ts'

export interface SubscriptionMetrics {
  onOpened(kind: SubscriptionKind): void
  onEnded(kind: SubscriptionKind): void
}

export const SUBSCRIBED: CounterRow<'type'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'subscription_subscribe',
  help: 'Total number of subscriptions',
  labels: ['type'],
}

export const UNSUBSCRIBED: CounterRow<'type'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'subscription_unsubscribe',
  help: 'Total number of unsubscriptions',
  labels: ['type'],
}

export function createSubscriptionMetrics(metrics: Metrics): SubscriptionMetrics {
  const subscribed = metrics.counter(SUBSCRIBED)
  const unsubscribed = metrics.counter(UNSUBSCRIBED)
  return {
    onOpened: (type) => subscribed.inc({ type }),
    onEnded: (type) => unsubscribed.inc({ type }),
  }
}

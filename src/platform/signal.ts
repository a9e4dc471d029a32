/** An event source: a lower room emits, the rooms above subscribe. */
export interface Signal<T> {
  emit(event: T): void
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: T) => void): () => void
  readonly listenerCount: number
}

/** `onError` receives errors that a listener throws; the remaining listeners are still called. */
export function createSignal<T>(onError: (error: unknown) => void): Signal<T> {
  // One wrapper per subscription allows the same function to subscribe twice.
  const subscriptions = new Set<{ readonly listener: (event: T) => void }>()
  return {
    emit(event) {
      // Iterates a copy: a listener added meanwhile gets only the next event, a removed one gets nothing more.
      for (const subscription of [...subscriptions]) {
        if (!subscriptions.has(subscription)) continue
        try {
          subscription.listener(event)
        } catch (error) {
          onError(error)
        }
      }
    },
    subscribe(listener) {
      const subscription = { listener }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
    get listenerCount() {
      return subscriptions.size
    },
  }
}

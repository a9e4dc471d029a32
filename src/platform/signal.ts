/** News for whoever listens: a lower room emits, the rooms above subscribe. */
export interface Signal<T> {
  emit(news: T): void
  /** Returns the way to stop listening. */
  subscribe(listener: (news: T) => void): () => void
  readonly listenerCount: number
}

/** `onError` gets what a listener throws; the listeners after it hear the news all the same. */
export function createSignal<T>(onError: (error: unknown) => void): Signal<T> {
  // One wrapper for each subscription, so that the same function may subscribe twice.
  const subscriptions = new Set<{ readonly listener: (news: T) => void }>()
  return {
    emit(news) {
      // A copy: whoever subscribes during the news hears the next one, whoever leaves hears no more.
      for (const subscription of [...subscriptions]) {
        if (!subscriptions.has(subscription)) continue
        try {
          subscription.listener(news)
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

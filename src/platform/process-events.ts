/** Broadcasts between all threads of this process, for events that are too rare to be part of every channel. */
import { BroadcastChannel } from 'node:worker_threads'

/** Resolves with the first text sent after this call. Waiting does not keep a thread alive; `close` ends it. */
export function hearProcessEvent(name: string): { readonly told: Promise<string>; close(): void } {
  const channel = new BroadcastChannel(name)
  channel.unref()
  const { promise, resolve } = Promise.withResolvers<string>()
  channel.onmessage = ({ data }: { readonly data?: unknown }) => resolve(String(data))
  return { told: promise, close: () => channel.close() }
}

export function publishProcessEvent(name: string, text: string): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(text)
  channel.close()
}

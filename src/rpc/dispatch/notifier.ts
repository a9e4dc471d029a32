import type { Connection } from './dispatcher.ts'

/** What waits for the answer of a call; a client that asks for more in one go is cut off. */
const HELD_MAX_CHARS = 16 * 1024 * 1024

/** Where notifications go, and who is told when there are too many. */
export interface NotifierEvents {
  send(text: string): void
  onOverflow(): void
  /** Whether what was sent waits; `onProgress` is called when that may have changed. */
  isBehind(): boolean
}

/**
 * The notifications of one connection. While a call that was handed the connection is under way they wait: the answer
 * that names a subscription comes before the first news of it.
 */
export class Notifier implements Connection {
  readonly #events: NotifierEvents
  readonly #listeners = new Set<() => void>()
  readonly #held: string[] = []
  #progress: PromiseWithResolvers<void> | undefined
  #heldChars = 0
  #calls = 0
  #isClosed = false

  constructor(events: NotifierEvents) {
    this.#events = events
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get isBehind(): boolean {
    return !this.#isClosed && (this.#calls > 0 || this.#events.isBehind())
  }

  async caughtUp(): Promise<void> {
    while (this.isBehind) {
      this.#progress ??= Promise.withResolvers()
      await this.#progress.promise
    }
  }

  /** Something went out. */
  onProgress(): void {
    this.#progress?.resolve()
    this.#progress = undefined
  }

  notify(method: string, params: string): void {
    if (this.#isClosed) return
    const text = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
    if (this.#calls === 0) {
      this.#events.send(text)
      return
    }
    this.#heldChars += text.length
    if (this.#heldChars > HELD_MAX_CHARS) this.#events.onOverflow()
    else this.#held.push(text)
  }

  onClose(listener: () => void): () => void {
    if (this.#isClosed) {
      listener()
      return () => {}
    }
    // One of its own for each subscription, so that the same function may listen twice.
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** A call is handed the connection. */
  hold(): void {
    this.#calls++
  }

  /** Its answer is on its way. */
  release(): void {
    this.#calls--
    if (this.#calls > 0) return
    const held = this.#held.splice(0)
    this.#heldChars = 0
    for (const text of held) if (!this.#isClosed) this.#events.send(text)
    this.onProgress()
  }

  /** The client is gone. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#held.length = 0
    this.onProgress()
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

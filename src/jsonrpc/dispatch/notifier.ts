import type { Connection } from '#jsonrpc/dispatcher.ts'
import type { SharedText } from '#serve/answer-text.ts'

/** Maximum notifications held until a call is answered; a client that causes more is disconnected. */
const HELD_MAX_CHARS = 16 * 1024 * 1024

export interface NotifierEvents {
  send(text: string | SharedText): void
  /** Called when a notification has to wait for the answer to a call. Returns the text to keep. */
  keep?(text: string | SharedText): string | SharedText
  /** Called when kept notifications are about to be sent. */
  letGo?(): void
  onOverflow(): void
  /** True if sent text waits; `onProgress` is called when that may have changed. */
  isBehind(): boolean
}

/** The notifications of one connection. They wait while a call that uses it runs, so its answer comes first. */
export class Notifier implements Connection {
  readonly #events: NotifierEvents
  readonly #listeners = new Set<() => void>()
  readonly #held: (string | SharedText)[] = []
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

  onProgress(): void {
    this.#progress?.resolve()
    this.#progress = undefined
  }

  notify(method: string, params: string | SharedText): void {
    if (this.#isClosed) return
    const start = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`
    const text =
      typeof params === 'string'
        ? `${start}${params}}`
        : { ...params, before: start + params.before, after: `${params.after}}` }
    if (this.#calls === 0) {
      this.#events.send(text)
      return
    }
    this.#heldChars += typeof text === 'string' ? text.length : text.shared.length
    if (this.#heldChars > HELD_MAX_CHARS) this.#events.onOverflow()
    else this.#hold(text)
  }

  #hold(text: string | SharedText): void {
    const kept = this.#events.keep?.(text) ?? text
    if (!this.#isClosed) this.#held.push(kept)
  }

  onClose(listener: () => void): () => void {
    if (this.#isClosed) {
      listener()
      return () => {}
    }
    // A function of its own, so the same listener can be added twice.
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Called when a call gets the connection. */
  hold(): void {
    this.#calls++
  }

  /** Called when its answer has been sent. */
  release(): void {
    this.#calls--
    if (this.#calls > 0) return
    const held = this.#held.splice(0)
    this.#heldChars = 0
    this.#events.letGo?.()
    for (const text of held) if (!this.#isClosed) this.#events.send(text)
    this.onProgress()
  }

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

/** Counts requests in progress, so a stop can wait for them. */
export class Pending {
  #count = 0
  #onNone: (() => void) | undefined
  #isDraining = false

  get isDraining(): boolean {
    return this.#isDraining
  }

  add(): void {
    this.#count += 1
  }

  remove(): void {
    this.#count -= 1
    if (this.#count === 0) this.#onNone?.()
  }

  /** Resolves when nothing is in progress, or when the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#isDraining = true
    if (this.#count === 0 || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onNone = resolve
    const onAbort = (): void => resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    await promise
    signal.removeEventListener('abort', onAbort)
  }
}

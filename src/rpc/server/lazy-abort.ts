/** An AbortController made when somebody looks: most methods never do, and it costs more than their work. */
export class LazyAbort {
  #controller: AbortController | undefined
  #reason: unknown

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get isAborted(): boolean {
    return this.#reason !== undefined
  }

  /** The first reason holds. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}

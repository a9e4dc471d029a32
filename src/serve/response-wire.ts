import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/** Sends one answer to its client. */
export interface ResponseWire {
  /** True once a byte of the answer was written. */
  readonly hasBegun: boolean
  /** True if the client has left. */
  readonly isGone: boolean
  /** Writes a complete answer. `headers` are alternating names and values. */
  send(status: number, reason: string, headers: string[], payload: string | Buffer): void
  /** Writes the head of an answer whose body follows in pieces. */
  begin(status: number, reason: string, headers: string[]): Writable
  /** Closes the connection at once. */
  destroy(): void
  /** Calls the listener when the answer was sent completely, or when the client has left before. */
  onClosed(listener: (isComplete: boolean) => void): void
}

/** An answer to a request that node:http has read. */
export class NodeWire implements ResponseWire {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
    response.sendDate = false
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  send(status: number, reason: string, headers: string[], payload: string | Buffer): void {
    this.#response.writeHead(status, reason, headers)
    this.#response.end(payload)
  }

  begin(status: number, reason: string, headers: string[]): Writable {
    this.#response.writeHead(status, reason, headers)
    return this.#response
  }

  destroy(): void {
    this.#response.destroy()
  }

  onClosed(listener: (isComplete: boolean) => void): void {
    this.#response.once('close', () => listener(this.#response.writableFinished))
  }
}

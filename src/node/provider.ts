import type { RpcRequest } from '#api/rpc-types.generated.ts'
import type { InProcessConnection, RpcThreads } from '#api/threads/rpc-threads.ts'

/** The part of an EIP-1193 provider that a node supports. */
export interface Provider {
  /** Returns the result, or throws ProviderError. */
  readonly request: RpcRequest
  /** Subscription events, as `{ type: 'eth_subscription', data: { subscription, result } }`. */
  on(event: 'message', listener: (message: ProviderMessage) => void): this
  /** The subscriptions have ended, with the reason; the node is still running. Subscribe again. */
  on(event: 'disconnect', listener: (reason: ProviderError) => void): this
  removeListener(event: 'message', listener: (message: ProviderMessage) => void): this
  removeListener(event: 'disconnect', listener: (reason: ProviderError) => void): this
}

export interface ProviderMessage {
  readonly type: string
  readonly data: unknown
}

/** An error answer of the node, with its code and data. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** The code of EIP-1193. */
const DISCONNECTED = 4900

interface Events {
  readonly message: Set<(message: ProviderMessage) => void>
  readonly disconnect: Set<(reason: ProviderError) => void>
}

/**
 * Requests are spread over the servers. Requests that notify go to one server, over a connection that the first of them
 * opens.
 */
export class NodeProvider implements Provider {
  readonly #rpc: Pick<RpcThreads, 'call' | 'connect'>
  readonly #onError: (error: unknown) => void
  readonly #listeners: Events = { message: new Set(), disconnect: new Set() }
  /** Methods that were refused without a connection. There are only a few. */
  readonly #notifying = new Set<string>()
  #connection: InProcessConnection | undefined

  constructor(rpc: Pick<RpcThreads, 'call' | 'connect'>, onError: (error: unknown) => void) {
    this.#rpc = rpc
    this.#onError = onError
  }

  /** `never`, because the types of results follow from declarations that this class does not know. */
  readonly request = async ({ method, params = [] }: Call): Promise<never> => {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { result, error } = JSON.parse(await this.#answer(method, message))
    if (error !== undefined) throw new ProviderError(error)
    return result as never
  }

  on(event: keyof Events, listener: (payload: never) => void): this {
    this.#listeners[event].add(listener as () => void)
    return this
  }

  removeListener(event: keyof Events, listener: (payload: never) => void): this {
    this.#listeners[event].delete(listener as () => void)
    return this
  }

  /** Ends all notifications. */
  close(): void {
    const connection = this.#connection
    this.#connection = undefined
    connection?.close()
  }

  async #answer(method: string, message: string): Promise<string> {
    if (!this.#notifying.has(method)) {
      const { text, lacksConnection } = await this.#rpc.call(message)
      if (!lacksConnection) return text
      this.#notifying.add(method)
    }
    return (await this.#connected().call(message)).text
  }

  #connected(): InProcessConnection {
    if (this.#connection === undefined) {
      this.#connection = this.#rpc.connect()
      void this.#listen(this.#connection)
    }
    return this.#connection
  }

  async #listen(connection: InProcessConnection): Promise<void> {
    try {
      for await (const text of connection.notifications) {
        const { method, params } = JSON.parse(text)
        this.#emit('message', { type: method, data: params })
      }
    } catch (error) {
      if (this.#connection !== connection) return
      this.#connection = undefined
      const message = `The subscriptions have ended: ${(error as Error).message} Subscribe again.`
      this.#emit('disconnect', new ProviderError({ code: DISCONNECTED, message }))
    }
  }

  #emit<Event extends keyof Events>(
    event: Event,
    payload: Events[Event] extends Set<(payload: infer Payload) => void> ? Payload : never,
  ): void {
    for (const listener of [...this.#listeners[event]] as ((given: typeof payload) => void)[]) {
      try {
        listener(payload)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

import type { Connection } from '#rpc/dispatch/dispatcher.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

/** One that was asked for and has not ended. */
export class Subscription {
  readonly id: string
  readonly request: SubscriptionRequest
  readonly connection: Connection
  readonly #before: string
  #isOpen = true

  constructor(id: string, request: SubscriptionRequest, connection: Connection) {
    this.id = id
    this.request = request
    this.connection = connection
    this.#before = `{"subscription":"${id}","result":`
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** `result` is JSON text: the same for all who hear of it. */
  tell(result: string): void {
    if (this.#isOpen) this.connection.notify('eth_subscription', `${this.#before}${result}}`)
  }

  end(): void {
    this.#isOpen = false
  }
}

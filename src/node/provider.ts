/** What EIP-1193 asks of a provider, as far as a node has it. */
export interface Provider {
  /** The result, or throws ProviderError. */
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** An error that the node answered, with its code and data. */
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

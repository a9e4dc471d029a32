import { inspect } from 'node:util'

const MASK = '[secret]'

/**
 * A password, key or token that prints as `[secret]` everywhere: the type decides, not each log call. Structured clone
 * does not copy private fields, so the value is lost on the way to another thread unless it is revealed first.
 */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** The only access to the value. Every call deserves a review. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [Symbol.toPrimitive](): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}

import { inspect } from 'node:util'

const MASK = '[secret]'

/**
 * A password, key or token. Whatever prints it prints `[secret]`: the type decides, not the place that
 * logs. Crossing to another thread loses the value (structured clone sees no private field), so reveal
 * it there on purpose or not at all.
 */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** The only way to the value. Every call is a place to review. */
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

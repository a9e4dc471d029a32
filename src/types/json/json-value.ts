/**
 * JSON as it stands in a file: numbers keep their digits, objects keep the order of their keys.
 * JavaScript's own objects do neither (2^53, and keys such as alloc addresses made of digits only move
 * to the front), and a genesis file must survive being read and written again.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject

/** A number by its source text; its magnitude and precision are unlimited. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  static of(value: bigint | number): JsonNumber {
    return new JsonNumber(String(value))
  }

  /** The exact value of a number written as a whole number; undefined for fractions and exponents. */
  toBigInt(): bigint | undefined {
    return /^-?\d+$/.test(this.text) ? BigInt(this.text) : undefined
  }
}

/** A repeated key keeps its first position and its last value, as Besu reads it. */
export class JsonObject extends Map<string, JsonValue> {
  /** Keys that occur more than once, for whoever wants to warn; undefined for nearly every object. */
  repeatedKeys: Set<string> | undefined
}

/**
 * JSON as written in a file: numbers keep their digits, objects the order of their keys. JavaScript's own objects
 * keep neither (2^53, and keys made of digits move to the front), and a genesis file must survive being read and
 * written again.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject

/** A number by its source text, with unlimited magnitude and precision. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  static of(value: bigint | number): JsonNumber {
    return new JsonNumber(String(value))
  }

  /** The exact value of an integer; undefined for fractions and exponents. */
  toBigInt(): bigint | undefined {
    return /^-?\d+$/.test(this.text) ? BigInt(this.text) : undefined
  }
}

/** A repeated key keeps its first position and its last value, as in Besu. */
export class JsonObject extends Map<string, JsonValue> {
  /** Keys that occur more than once, for warnings; undefined for nearly every object. */
  repeatedKeys: Set<string> | undefined
}

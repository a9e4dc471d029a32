import { deserialize, serialize } from 'node:v8'

/**
 * A value as bytes. A thread that only passes a value on copies its bytes in no time, while cloning takes as long as the
 * value has members.
 */
export function packValue(value: unknown): Uint8Array {
  return serialize(value)
}

/** The bytes come from `packValue` in this process. */
export function unpackValue(bytes: Uint8Array): unknown {
  return deserialize(bytes)
}

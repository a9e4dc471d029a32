/**
 * Bytes as map keys with one character per byte, made in native code at half the cost of hexadecimal (83 ns against
 * 148 to 168 for an address, map lookup included). Keys never leave the engine.
 */
type Slice = (this: Uint8Array, start: number, end: number) => string

// Missing from @types/node; toString('latin1') calls it, and it accepts any Uint8Array.
const latin1Slice = (Buffer.prototype as unknown as { latin1Slice: Slice }).latin1Slice

export function byteKey(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length)
}

export function byteKeyFromHex(digits: string): string {
  return byteKey(Buffer.from(digits, 'hex'))
}

export function bytesOfKey(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'))
}

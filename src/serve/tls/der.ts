/** One DER element. PKCS#12 files need only one-byte tags and definite lengths. */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
}

export const DER_INTEGER = 0x02
export const DER_OCTETS = 0x04
export const DER_OID = 0x06
export const DER_SEQUENCE = 0x30
/** [0], constructed and primitive. */
export const DER_CONTEXT_0 = 0xa0
export const DER_CONTEXT_0_PLAIN = 0x80

const LENGTH_BYTES_MAX = 4

/** All consecutive elements in `bytes`. */
export function derElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!
    const first = byteAt(bytes, at + 1)
    const lengthBytes = first < 0x80 ? 0 : first - 0x80
    if (first === 0x80 || lengthBytes > LENGTH_BYTES_MAX) throw new RangeError('a length is not DER')
    let length = lengthBytes === 0 ? first : 0
    for (let i = 0; i < lengthBytes; i += 1) length = length * 256 + byteAt(bytes, at + 2 + i)
    const start = at + 2 + lengthBytes
    if (start + length > bytes.length) throw new RangeError('an element ends beyond its container')
    elements.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return elements
}

/** The members of a constructed element with this tag. */
export function derMembers(element: DerElement | undefined, tag: number): DerElement[] {
  return derElements(derContent(element, tag))
}

export function derContent(element: DerElement | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new RangeError(`expected element 0x${tag.toString(16)}`)
  return element.content
}

export function derOid(element: DerElement | undefined): string {
  const content = derContent(element, DER_OID)
  const parts: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      parts.push(value)
      value = 0
    }
  }
  const [first = 0, ...rest] = parts
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...rest].join('.')
}

export function derNumber(element: DerElement | undefined): number {
  let value = 0
  for (const byte of derContent(element, DER_INTEGER)) value = value * 256 + byte
  return value
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('the text ends inside an element')
  return byte
}

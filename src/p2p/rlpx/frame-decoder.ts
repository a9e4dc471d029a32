import { createDecipheriv, type Decipheriv, timingSafeEqual } from 'node:crypto'
import { p2pFault } from '#p2p/faults.ts'
import { BLOCK_BYTES, FRAME_MAX_BYTES, HEADER_BYTES } from './frame-encoder.ts'
import { FrameMac, MAC_BYTES } from './frame-mac.ts'
import type { FrameSecrets } from './handshake.ts'

/** A message as it came, its data still compressed. */
export interface WireFrame {
  readonly code: number
  readonly data: Uint8Array
  /** On the wire, with header and padding. */
  readonly bytes: number
}

const HEADER_WITH_MAC_BYTES = HEADER_BYTES + MAC_BYTES
const FIRST_BYTES = 1024

/**
 * Bytes of a socket to frames, however they are cut. It keeps at most twice what it received of one frame: a length
 * that a peer claims costs nothing before the bytes come.
 */
export class FrameDecoder {
  /** Of the length in a header. Small before HELLO. */
  maxFrameBytes: number
  readonly #decipher: Decipheriv
  readonly #mac: FrameMac
  #kept = new Uint8Array(FIRST_BYTES)
  #keptBytes = 0
  /** Of the frame whose header has been read; undefined before that. */
  #length: number | undefined

  constructor({ aes, mac, ingress }: FrameSecrets, maxFrameBytes: number = FRAME_MAX_BYTES) {
    this.#decipher = createDecipheriv('aes-256-ctr', aes, new Uint8Array(BLOCK_BYTES))
    this.#mac = new FrameMac(ingress, mac)
    this.maxFrameBytes = maxFrameBytes
  }

  /** The frames that these bytes complete. Lazy: whoever stops after one leaves the rest of the bytes behind. */
  *push(bytes: Uint8Array): Generator<WireFrame, void, undefined> {
    let from = 0
    while (from < bytes.length) {
      const wanted = this.#wanted()
      const missing = wanted - this.#keptBytes
      const available = Math.min(missing, bytes.length - from)
      const end = from + available
      // A whole part is read where it lies; only what is cut off is kept.
      if (this.#keptBytes === 0 && available === missing) {
        const frame = this.#part(bytes.subarray(from, end))
        if (frame !== undefined) yield frame
      } else {
        this.#keep(bytes.subarray(from, end), wanted)
        if (this.#keptBytes === wanted) {
          const part = this.#kept.subarray(0, wanted)
          this.#keptBytes = 0
          const frame = this.#part(part)
          if (this.#kept.length > FIRST_BYTES) this.#kept = new Uint8Array(FIRST_BYTES)
          if (frame !== undefined) yield frame
        }
      }
      from = end
    }
  }

  /** How long the part is that comes next: a header, or a body with its padding. */
  #wanted(): number {
    return this.#length === undefined ? HEADER_WITH_MAC_BYTES : padded(this.#length) + MAC_BYTES
  }

  #keep(bytes: Uint8Array, wanted: number): void {
    const needed = this.#keptBytes + bytes.length
    if (needed > this.#kept.length) {
      const grown = new Uint8Array(Math.min(wanted, Math.max(needed, this.#kept.length * 2)))
      grown.set(this.#kept.subarray(0, this.#keptBytes))
      this.#kept = grown
    }
    this.#kept.set(bytes, this.#keptBytes)
    this.#keptBytes = needed
  }

  #part(part: Uint8Array): WireFrame | undefined {
    const encrypted = part.subarray(0, part.length - MAC_BYTES)
    const tag = part.subarray(part.length - MAC_BYTES)
    if (this.#length === undefined) {
      if (!timingSafeEqual(this.#mac.ofHeader(encrypted), tag)) throw forged()
      const header = this.#decipher.update(encrypted)
      this.#length = this.#checkedLength((header[0]! << 16) | (header[1]! << 8) | header[2]!)
      return undefined
    }
    if (!timingSafeEqual(this.#mac.ofBody(encrypted), tag)) throw forged()
    const body = this.#decipher.update(encrypted).subarray(0, this.#length)
    this.#length = undefined
    return { ...splitCode(body), bytes: HEADER_WITH_MAC_BYTES + part.length }
  }

  #checkedLength(length: number): number {
    if (length === 0) throw invalidFrame('A frame of the peer is empty.')
    if (length <= this.maxFrameBytes) return length
    throw invalidFrame(`A frame of the peer has ${length} bytes, more than ${this.maxFrameBytes}.`)
  }
}

/** A code is a number in RLP; those of more than one byte belong to no protocol. */
function splitCode(body: Uint8Array): { readonly code: number; readonly data: Uint8Array } {
  const first = body[0]!
  if (first > 0x80) throw invalidFrame('A message of the peer has no code below 128.')
  // No Buffer: its slice() is a view, and whoever gets the data may not expect that.
  const data = new Uint8Array(body.buffer, body.byteOffset + 1, body.length - 1)
  return { code: first === 0x80 ? 0 : first, data }
}

function padded(length: number): number {
  return Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES
}

function forged() {
  return invalidFrame('A frame of the peer is not authentic: bytes were lost or changed on the way.')
}

function invalidFrame(sentence: string) {
  return p2pFault('INVALID_FRAME', { sentence })
}

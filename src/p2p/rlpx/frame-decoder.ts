import { createDecipheriv, type Decipheriv, timingSafeEqual } from 'node:crypto'
import { p2pFault } from '#p2p/faults.ts'
import { BLOCK_BYTES, FRAME_MAX_BYTES, HEADER_BYTES } from './frame-encoder.ts'
import { FrameMac, MAC_BYTES } from './frame-mac.ts'
import type { FrameSecrets } from './handshake.ts'

/** A received message; its data is still compressed. */
export interface WireFrame {
  readonly code: number
  readonly data: Uint8Array
  /** Size on the wire, including header and padding. */
  readonly bytes: number
}

const HEADER_WITH_MAC_BYTES = HEADER_BYTES + MAC_BYTES
const FIRST_BYTES = 1024

/**
 * Turns socket bytes into frames. It buffers at most twice the received bytes of one frame, so a claimed length costs nothing
 * before the bytes arrive. Pieces are hashed and decrypted on arrival, so a long frame does not block others at its end; the
 * content is not used before the complete frame is authenticated.
 */
export class FrameDecoder {
  /** Maximum length in a header; small before HELLO. */
  maxFrameBytes: number
  readonly #decipher: Decipheriv
  readonly #mac: FrameMac
  /** A header with its MAC, or the MAC after a body. */
  readonly #short = new Uint8Array(HEADER_WITH_MAC_BYTES)
  #shortBytes = 0
  /** The length of the current frame; undefined before its header. */
  #length: number | undefined
  /** Missing bytes of the body, including padding. */
  #missing = 0
  #plain: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  #plainBytes = 0

  constructor({ aes, mac, ingress }: FrameSecrets, maxFrameBytes: number = FRAME_MAX_BYTES) {
    this.#decipher = createDecipheriv('aes-256-ctr', aes, new Uint8Array(BLOCK_BYTES))
    this.#mac = new FrameMac(ingress, mac)
    this.maxFrameBytes = maxFrameBytes
  }

  /** Yields the frames that these bytes complete. Lazy: a caller that stops early discards the remaining bytes. */
  *push(bytes: Uint8Array): Generator<WireFrame, void, undefined> {
    for (let from = 0; from < bytes.length; ) {
      if (this.#missing > 0) {
        const end = Math.min(bytes.length, from + this.#missing)
        this.#body(bytes.subarray(from, end))
        from = end
        continue
      }
      const wanted = this.#length === undefined ? HEADER_WITH_MAC_BYTES : MAC_BYTES
      const end = Math.min(bytes.length, from + wanted - this.#shortBytes)
      this.#short.set(bytes.subarray(from, end), this.#shortBytes)
      this.#shortBytes += end - from
      from = end
      if (this.#shortBytes < wanted) return
      this.#shortBytes = 0
      if (this.#length === undefined) this.#header()
      else yield this.#frame(this.#length)
    }
  }

  #header(): void {
    const encrypted = this.#short.subarray(0, HEADER_BYTES)
    if (!timingSafeEqual(this.#mac.ofHeader(encrypted), this.#short.subarray(HEADER_BYTES))) throw forged()
    const header = this.#decipher.update(encrypted)
    this.#length = this.#checkedLength((header[0]! << 16) | (header[1]! << 8) | header[2]!)
    this.#missing = padded(this.#length)
    this.#plainBytes = 0
  }

  #body(encrypted: Uint8Array): void {
    this.#mac.feedBody(encrypted)
    const plain = this.#decipher.update(encrypted)
    const needed = this.#plainBytes + plain.length
    // A body that arrives in one piece is not copied.
    if (this.#plainBytes === 0 && plain.length === this.#missing) this.#plain = plain
    else this.#keep(plain, needed)
    this.#plainBytes = needed
    this.#missing -= plain.length
  }

  #keep(plain: Uint8Array, needed: number): void {
    if (this.#plainBytes === 0) this.#plain = new Uint8Array(Math.max(FIRST_BYTES, needed))
    if (needed > this.#plain.length) {
      const bytes = Math.min(padded(this.#length!), Math.max(needed, this.#plain.length * 2))
      // `transfer` frees the old memory at once; a copy would leave it to the garbage collector.
      this.#plain = new Uint8Array(this.#plain.buffer.transfer(bytes))
    }
    this.#plain.set(plain, this.#plainBytes)
  }

  #frame(length: number): WireFrame {
    if (!timingSafeEqual(this.#mac.ofBody(), this.#short.subarray(0, MAC_BYTES))) throw forged()
    const body = this.#plain.subarray(0, length)
    this.#length = undefined
    this.#plain = new Uint8Array(0)
    return { ...splitCode(body), bytes: HEADER_WITH_MAC_BYTES + padded(length) + MAC_BYTES }
  }

  #checkedLength(length: number): number {
    if (length === 0) throw invalidFrame('A frame of the peer is empty.')
    if (length <= this.maxFrameBytes) return length
    throw invalidFrame(`A frame of the peer has ${length} bytes, more than ${this.maxFrameBytes}.`)
  }
}

/** A code is an RLP number; no protocol has codes longer than one byte. */
function splitCode(body: Uint8Array): { readonly code: number; readonly data: Uint8Array } {
  const first = body[0]!
  if (first > 0x80) throw invalidFrame('A message of the peer has no code below 128.')
  // Not a Buffer, whose slice() is a view, which a caller may not expect.
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

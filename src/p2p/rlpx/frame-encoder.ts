import { type Cipheriv, createCipheriv } from 'node:crypto'
import { assert } from '#types/assert.ts'
import { FrameMac, MAC_BYTES } from './frame-mac.ts'
import type { FrameSecrets } from './handshake.ts'

/** The maximum of a three-byte length. */
export const FRAME_MAX_BYTES = 0xffffff
export const BLOCK_BYTES = 16
/** Length, header data, padding. */
export const HEADER_BYTES = 16
/** Capability and context, both zero and unused. */
const HEADER_DATA = [0xc2, 0x80, 0x80] as const
/** Messages up to this size are assembled in reused memory. */
const SCRATCH_BYTES = 4096

/** Turns each message into one buffer. Frames must be sent in order, because each authenticates all before it. */
export class FrameEncoder {
  readonly #cipher: Cipheriv
  readonly #mac: FrameMac
  readonly #scratch = new Uint8Array(SCRATCH_BYTES)

  constructor({ aes, mac, egress }: FrameSecrets) {
    this.#cipher = createCipheriv('aes-256-ctr', aes, new Uint8Array(BLOCK_BYTES))
    this.#mac = new FrameMac(egress, mac)
  }

  encode(code: number, data: Uint8Array): Uint8Array {
    // RLP encodes 0 as the empty string; codes from 128 on would need a length prefix, and no set of protocols reaches them.
    assert(code >= 0 && code < 0x80, `A message code of a peer is below 128, not ${code}.`)
    const length = 1 + data.length
    assert(length <= FRAME_MAX_BYTES, `A frame has at most ${FRAME_MAX_BYTES} bytes, not ${length}.`)
    const padded = Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES
    const plain = this.#plain(HEADER_BYTES + padded)
    plain[0] = length >> 16
    plain[1] = length >> 8
    plain[2] = length
    plain.set(HEADER_DATA, 3)
    plain[HEADER_BYTES] = code === 0 ? 0x80 : code
    plain.set(data, HEADER_BYTES + 1)

    const encrypted = this.#cipher.update(plain)
    const header = encrypted.subarray(0, HEADER_BYTES)
    const body = encrypted.subarray(HEADER_BYTES)
    const frame = Buffer.allocUnsafe(HEADER_BYTES + MAC_BYTES + padded + MAC_BYTES)
    frame.set(header, 0)
    frame.set(this.#mac.ofHeader(header), HEADER_BYTES)
    frame.set(body, HEADER_BYTES + MAC_BYTES)
    this.#mac.feedBody(body)
    frame.set(this.#mac.ofBody(), HEADER_BYTES + MAC_BYTES + padded)
    return frame
  }

  #plain(bytes: number): Uint8Array {
    return bytes > SCRATCH_BYTES ? new Uint8Array(bytes) : this.#scratch.subarray(0, bytes).fill(0)
  }
}

import { concatBytes } from '#types/bytes.ts'
import { invalidHandshake } from './ecies.ts'
import { type PacketForm, type PacketName, packetLength } from './handshake-packet.ts'

/**
 * Collects the one packet that a peer sends before frames, however it is cut. The bytes after it are frames. Nothing is
 * kept beyond one packet and the piece that ended it.
 */
export class HandshakeInbox {
  readonly #name: PacketName
  #received: Uint8Array = new Uint8Array(0)
  #notLegacy = false

  constructor(name: PacketName) {
    this.#name = name
  }

  /**
   * Feeds `decode` with a packet once it is there, and answers what came of it with the bytes that follow; undefined
   * while the packet is not whole. What looks like both forms is tried as both.
   */
  async push<Result>(
    piece: Uint8Array,
    decode: (packet: Uint8Array, form: PacketForm) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly rest: Uint8Array } | undefined> {
    this.#received = this.#received.length === 0 ? piece : concatBytes(this.#received, piece)
    for (;;) {
      const wanted = packetLength(this.#name, this.#received, this.#notLegacy)
      if (wanted === undefined || this.#received.length < wanted.bytes) return undefined
      try {
        // A copy: the secrets are made from it, and the piece is the socket's.
        const result = await decode(this.#received.slice(0, wanted.bytes), wanted.form)
        return { result, rest: this.#received.subarray(wanted.bytes) }
      } catch (error) {
        if (wanted.form === 'eip8') throw error
        // The third byte of an EIP-8 packet begins a point.
        if (this.#received[2] !== 0x04) throw invalidHandshake(error)
        this.#notLegacy = true
      }
    }
  }
}

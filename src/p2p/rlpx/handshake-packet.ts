/**
 * The handshake packets auth and ack in both forms: EIP-8 (a length, then ECIES of an extensible RLP list with random padding)
 * and the older form of fixed length. The initiator sends EIP-8; the answer has the form of the request, as in every client.
 */
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import type { Random } from '#platform/random.ts'
import { concatBytes, equalBytes, numberToBytes } from '#types/bytes.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '#types/curve.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpItemEnd } from '#types/rlp.ts'
import { decryptEcies, ECIES_OVERHEAD_BYTES, encryptEcies, invalidHandshake } from './ecies.ts'

export const NONCE_BYTES = 32
const HASH_BYTES = 32
const VERSION = 4
const LENGTH_BYTES = 2
const LEGACY_AUTH_PLAIN_BYTES = SIGNATURE_BYTES + HASH_BYTES + PUBLIC_KEY_BYTES + NONCE_BYTES + 1
const LEGACY_ACK_PLAIN_BYTES = PUBLIC_KEY_BYTES + NONCE_BYTES + 1
const LEGACY_BYTES = {
  auth: LEGACY_AUTH_PLAIN_BYTES + ECIES_OVERHEAD_BYTES,
  ack: LEGACY_ACK_PLAIN_BYTES + ECIES_OVERHEAD_BYTES,
} as const
/** Minimum length after the length field; shorter packets contain no list. */
const PACKET_MIN_BYTES = ECIES_OVERHEAD_BYTES + 2
export const PACKET_MAX_BYTES = 2048
/** EIP-8 asks for at least 100, so the two forms differ in length. */
const PADDING_MIN_BYTES = 100
const PADDING_SPREAD_BYTES = 150
const LIMITS = { maxDepth: 16, maxItems: 64, maxBytes: PACKET_MAX_BYTES }

export type PacketName = 'auth' | 'ack'
export type PacketForm = 'eip8' | 'legacy'

export interface AuthBody {
  /** A signature by the ephemeral key over the nonce and the static shared secret. */
  readonly signature: Uint8Array
  readonly publicKey: Uint8Array
  readonly nonce: Uint8Array
  /** Legacy only: the hash of the ephemeral public key. */
  readonly ephemeralHash?: Uint8Array
}

export interface AckBody {
  readonly ephemeralKey: Uint8Array
  readonly nonce: Uint8Array
}

/**
 * The length and form of the packet with this start; undefined if there are too few bytes. Legacy packets begin with 4, and so
 * do EIP-8 packets of 1,024 to 1,279 bytes; `notLegacy` says that the legacy form was tried.
 */
export function packetLength(
  name: PacketName,
  start: Uint8Array,
  notLegacy: boolean,
): { readonly bytes: number; readonly form: PacketForm } | undefined {
  if (start.length < LENGTH_BYTES) return undefined
  if (start[0] === 0x04 && !notLegacy) return { bytes: LEGACY_BYTES[name], form: 'legacy' }
  const length = start[0]! * 256 + start[1]!
  if (length < PACKET_MIN_BYTES || length > PACKET_MAX_BYTES) throw invalidHandshake()
  return { bytes: LENGTH_BYTES + length, form: 'eip8' }
}

export function encodeAuth(to: Uint8Array, body: AuthBody, random: Random): Uint8Array {
  return seal(to, [body.signature, body.publicKey, body.nonce, Uint8Array.of(VERSION)], random)
}

export function encodeAck(to: Uint8Array, body: AckBody, form: PacketForm, random: Random): Uint8Array {
  if (form === 'eip8') return seal(to, [body.ephemeralKey, body.nonce, Uint8Array.of(VERSION)], random)
  const noToken = Uint8Array.of(0)
  return encryptEcies(to, concatBytes(body.ephemeralKey, body.nonce, noToken), new Uint8Array(0), random)
}

export async function decodeAuth(
  nodeKey: NodeKeyHolder,
  packet: Uint8Array,
  form: PacketForm,
): Promise<AuthBody> {
  return readAuthBody(await open(nodeKey, packet, form), form)
}

export async function decodeAck(
  nodeKey: NodeKeyHolder,
  packet: Uint8Array,
  form: PacketForm,
): Promise<AckBody> {
  return readAckBody(await open(nodeKey, packet, form), form)
}

/** Reads the decrypted body. */
export function readAuthBody(plain: Uint8Array, form: PacketForm): AuthBody {
  if (form === 'legacy') {
    const lengths = [SIGNATURE_BYTES, HASH_BYTES, PUBLIC_KEY_BYTES, NONCE_BYTES]
    const [signature, ephemeralHash, publicKey, nonce] = split(plain, lengths)
    return { signature: signature!, publicKey: publicKey!, nonce: nonce!, ephemeralHash: ephemeralHash! }
  }
  const [signature, publicKey, nonce] = readList(plain)
  return {
    signature: sized(signature, SIGNATURE_BYTES),
    publicKey: sized(publicKey, PUBLIC_KEY_BYTES),
    nonce: sized(nonce, NONCE_BYTES),
  }
}

export function readAckBody(plain: Uint8Array, form: PacketForm): AckBody {
  const [ephemeralKey, nonce] =
    form === 'legacy' ? split(plain, [PUBLIC_KEY_BYTES, NONCE_BYTES]) : readList(plain)
  return { ephemeralKey: sized(ephemeralKey, PUBLIC_KEY_BYTES), nonce: sized(nonce, NONCE_BYTES) }
}

function seal(to: Uint8Array, body: RlpItem, random: Random): Uint8Array {
  const padding = random.randomBytes(PADDING_MIN_BYTES + random.randomBelow(PADDING_SPREAD_BYTES))
  const plain = concatBytes(encodeRlp(body), padding)
  const length = numberToBytes(plain.length + ECIES_OVERHEAD_BYTES, LENGTH_BYTES)
  return concatBytes(length, encryptEcies(to, plain, length, random))
}

async function open(nodeKey: NodeKeyHolder, packet: Uint8Array, form: PacketForm): Promise<Uint8Array> {
  if (form === 'legacy') return await decryptEcies(nodeKey, packet, new Uint8Array(0))
  const length = packet.subarray(0, LENGTH_BYTES)
  if (!equalBytes(length, numberToBytes(packet.length - LENGTH_BYTES, LENGTH_BYTES))) throw invalidHandshake()
  return await decryptEcies(nodeKey, packet.subarray(LENGTH_BYTES), length)
}

/** Bytes after the list are padding, and extra items are reserved for later versions. */
function readList(plain: Uint8Array): readonly RlpItem[] {
  try {
    const body = decodeRlp(plain.subarray(0, rlpItemEnd(plain, 0)), LIMITS)
    if (!(body instanceof Uint8Array)) return body
  } catch (cause) {
    throw invalidHandshake(cause)
  }
  throw invalidHandshake()
}

function sized(item: RlpItem | undefined, bytes: number): Uint8Array {
  if (item instanceof Uint8Array && item.length === bytes) return item
  throw invalidHandshake()
}

function split(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  let from = 0
  return lengths.map((length) => {
    from += length
    return sized(bytes.subarray(from - length, from), length)
  })
}

/**
 * Reassembles the one packet that a peer sends before frames. Bytes after it are frames. It keeps at most one packet and the
 * piece that completed it.
 */
export class HandshakeInbox {
  readonly #name: PacketName
  #received: Uint8Array = new Uint8Array(0)
  #notLegacy = false

  constructor(name: PacketName) {
    this.#name = name
  }

  /**
   * Passes a complete packet to `decode` and returns the result with the bytes after it; undefined while the packet is
   * incomplete. A packet that could have either form is tried as both.
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
        // Copied, because the secrets depend on it and the socket owns the piece.
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

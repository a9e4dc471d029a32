/**
 * The RLPx handshake in both roles: proves the identity of the other side and agrees on frame secrets. Pure except for the node
 * key; the caller handles sockets and deadlines.
 */
import { keyAgreement, type NodeKeyHolder } from '#p2p/node-key.ts'
import type { Random } from '#platform/random.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom, sign } from '#types/curve.ts'
import type { Keccak, RunningKeccak } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'
import { invalidHandshake } from './ecies.ts'
import {
  decodeAck,
  decodeAuth,
  encodeAck,
  encodeAuth,
  NONCE_BYTES,
  type PacketForm,
} from './handshake-packet.ts'

export interface HandshakeParts {
  readonly nodeKey: NodeKeyHolder
  readonly keccak: Keccak
  readonly createRunningKeccak: () => RunningKeccak
  readonly recover: Recover
  readonly random: Random
}

/** The keys for frame encryption and authentication. */
export interface FrameSecrets {
  readonly aes: Uint8Array
  readonly mac: Uint8Array
  /** The running hashes of sent and of received frames. */
  readonly egress: RunningKeccak
  readonly ingress: RunningKeccak
}

/** Random values for a single handshake. */
export interface HandshakeDraw {
  readonly ephemeralKey: Uint8Array
  readonly nonce: Uint8Array
}

export function drawHandshake(random: Random): HandshakeDraw {
  return {
    ephemeralKey: privateKeyFromRandom('secp256k1', random.randomBytes(KEY_RANDOM_BYTES)),
    nonce: random.randomBytes(NONCE_BYTES),
  }
}

export interface OpenedHandshake {
  readonly auth: Uint8Array
  /** Throws INVALID_HANDSHAKE if the ack is not from the expected node. */
  finish(ack: Uint8Array, form: PacketForm): Promise<FrameSecrets>
}

/** Opens a handshake as the initiator; `to` is the key in the enode. */
export async function openHandshake(
  parts: HandshakeParts,
  to: Uint8Array,
  draw: HandshakeDraw = drawHandshake(parts.random),
): Promise<OpenedHandshake> {
  const shared = await sharedSecret(parts.nodeKey, to)
  const signature = sign(draw.ephemeralKey, xor(shared, draw.nonce))
  const publicKey = await parts.nodeKey.publicKey()
  const auth = encodeAuth(to, { signature, publicKey, nonce: draw.nonce }, parts.random)
  return {
    auth,
    async finish(ack, form) {
      const { ephemeralKey, nonce } = await decodeAck(parts.nodeKey, ack, form)
      const nonces = { initiator: draw.nonce, responder: nonce }
      const own = keyAgreement(draw.ephemeralKey)
      const common = { own, other: ephemeralKey, nonces, auth, ack }
      return deriveSecrets(parts, { ...common, role: 'initiator' })
    },
  }
}

export interface AskedHandshake {
  /** The proven key of the other side. */
  readonly publicKey: Uint8Array
  answer(draw?: HandshakeDraw): { readonly ack: Uint8Array; readonly secrets: FrameSecrets }
}

/** Reads a handshake as the responder. The identity is known before the answer, so it can be refused without one. */
export async function readHandshake(
  parts: HandshakeParts,
  auth: Uint8Array,
  form: PacketForm,
): Promise<AskedHandshake> {
  const { signature, publicKey, nonce, ephemeralHash } = await decodeAuth(parts.nodeKey, auth, form)
  const shared = await sharedSecret(parts.nodeKey, publicKey)
  let other: Uint8Array
  try {
    other = parts.recover(xor(shared, nonce), signature)
  } catch (cause) {
    throw invalidHandshake(cause)
  }
  if (ephemeralHash !== undefined && !equalBytes(parts.keccak(other), ephemeralHash)) throw invalidHandshake()
  return {
    publicKey,
    answer(draw = drawHandshake(parts.random)) {
      const own = keyAgreement(draw.ephemeralKey)
      const ack = encodeAck(publicKey, { ephemeralKey: own.publicKey, nonce: draw.nonce }, form, parts.random)
      const nonces = { initiator: nonce, responder: draw.nonce }
      const common = { own, other, nonces, auth, ack }
      return { ack, secrets: deriveSecrets(parts, { ...common, role: 'responder' }) }
    },
  }
}

export interface Agreed {
  readonly role: 'initiator' | 'responder'
  /** Our ephemeral key and the other side's public one. */
  readonly own: Pick<ReturnType<typeof keyAgreement>, 'shared'>
  readonly other: Uint8Array
  readonly nonces: { readonly initiator: Uint8Array; readonly responder: Uint8Array }
  /** The packets as sent, including lengths. */
  readonly auth: Uint8Array
  readonly ack: Uint8Array
}

export function deriveSecrets(
  { keccak, createRunningKeccak }: Pick<HandshakeParts, 'keccak' | 'createRunningKeccak'>,
  { role, own, other, nonces, auth, ack }: Agreed,
): FrameSecrets {
  let ephemeral: Uint8Array
  try {
    ephemeral = own.shared(other)
  } catch (cause) {
    throw invalidHandshake(cause)
  }
  const shared = keccak(concatBytes(ephemeral, keccak(concatBytes(nonces.responder, nonces.initiator))))
  const aes = keccak(concatBytes(ephemeral, shared))
  const mac = keccak(concatBytes(ephemeral, aes))
  const running = (nonce: Uint8Array, packet: Uint8Array): RunningKeccak => {
    const state = createRunningKeccak()
    state.update(xor(mac, nonce))
    state.update(packet)
    return state
  }
  const byInitiator = running(nonces.responder, auth)
  const byResponder = running(nonces.initiator, ack)
  return role === 'initiator'
    ? { aes, mac, egress: byInitiator, ingress: byResponder }
    : { aes, mac, egress: byResponder, ingress: byInitiator }
}

async function sharedSecret(nodeKey: NodeKeyHolder, publicKey: Uint8Array): Promise<Uint8Array> {
  try {
    return await nodeKey.ecdh(publicKey)
  } catch (cause) {
    throw invalidHandshake(cause)
  }
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ b[at]!)
}

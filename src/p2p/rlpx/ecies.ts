/**
 * ECIES as in RLPx: ECDH on secp256k1, the concatenation KDF with SHA-256, AES-128-CTR, and HMAC-SHA-256 over the ciphertext
 * and shared data that is not sent. All errors look the same to the sender.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { p2pFault } from '#p2p/faults.ts'
import { keyAgreement, type NodeKeyHolder } from '#p2p/node-key.ts'
import type { Random } from '#platform/random.ts'
import { concatBytes } from '#types/bytes.ts'
import { KEY_RANDOM_BYTES, PUBLIC_KEY_BYTES, privateKeyFromRandom } from '#types/curve.ts'

const UNCOMPRESSED = Uint8Array.of(0x04)
const POINT_BYTES = 1 + PUBLIC_KEY_BYTES
const IV_BYTES = 16
const TAG_BYTES = 32
/** The length added by encryption. */
export const ECIES_OVERHEAD_BYTES = POINT_BYTES + IV_BYTES + TAG_BYTES

const KDF_COUNTER = Uint8Array.of(0, 0, 0, 1)
const AES_KEY_BYTES = 16

export function encryptEcies(
  to: Uint8Array,
  plain: Uint8Array,
  sharedData: Uint8Array,
  random: Random,
): Uint8Array {
  const ephemeral = keyAgreement(privateKeyFromRandom('secp256k1', random.randomBytes(KEY_RANDOM_BYTES)))
  const keys = deriveKeys(ephemeral.shared(to))
  const iv = random.randomBytes(IV_BYTES)
  const encrypted = createCipheriv('aes-128-ctr', keys.aes, iv).update(plain)
  const tag = tagOf(keys.mac, iv, encrypted, sharedData)
  return concatBytes(UNCOMPRESSED, ephemeral.publicKey, iv, encrypted, tag)
}

export async function decryptEcies(
  nodeKey: Pick<NodeKeyHolder, 'ecdh'>,
  message: Uint8Array,
  sharedData: Uint8Array,
): Promise<Uint8Array> {
  if (message.length < ECIES_OVERHEAD_BYTES || message[0] !== UNCOMPRESSED[0]) throw invalidHandshake()
  const point = message.subarray(1, POINT_BYTES)
  const iv = message.subarray(POINT_BYTES, POINT_BYTES + IV_BYTES)
  const encrypted = message.subarray(POINT_BYTES + IV_BYTES, message.length - TAG_BYTES)
  const tag = message.subarray(message.length - TAG_BYTES)
  let shared: Uint8Array
  try {
    shared = await nodeKey.ecdh(point)
  } catch (cause) {
    throw invalidHandshake(cause)
  }
  const keys = deriveKeys(shared)
  if (!timingSafeEqual(tagOf(keys.mac, iv, encrypted, sharedData), tag)) throw invalidHandshake()
  return new Uint8Array(createDecipheriv('aes-128-ctr', keys.aes, iv).update(encrypted))
}

export function invalidHandshake(cause?: unknown) {
  return p2pFault(
    'INVALID_HANDSHAKE',
    {
      sentence:
        'The peer sent no valid RLPx handshake: it speaks something else, or has another key in mind.',
    },
    { cause },
  )
}

function deriveKeys(shared: Uint8Array): { readonly aes: Uint8Array; readonly mac: Uint8Array } {
  const derived = createHash('sha256').update(KDF_COUNTER).update(shared).digest()
  return {
    aes: derived.subarray(0, AES_KEY_BYTES),
    mac: createHash('sha256').update(derived.subarray(AES_KEY_BYTES)).digest(),
  }
}

function tagOf(key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array, sharedData: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(iv).update(encrypted).update(sharedData).digest()
}

/** The parts of handshakes and frames in tests. */
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { loadFastKeccak, loadRunningKeccak } from '#platform/fast-keccak.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Random } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import {
  KEY_RANDOM_BYTES,
  privateKeyFromRandom,
  publicKeyFromPrivate,
  recoverPublicKey,
} from '#types/curve.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { HandshakeParts } from './handshake.ts'

export interface TestNode {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly parts: HandshakeParts
}

export async function testNode(random: Random = createSeededRandom(1), key?: string): Promise<TestNode> {
  const privateKey =
    key === undefined
      ? privateKeyFromRandom('secp256k1', random.randomBytes(KEY_RANDOM_BYTES))
      : parseDataLenient(key)
  return {
    privateKey,
    publicKey: publicKeyFromPrivate('secp256k1', privateKey),
    parts: {
      nodeKey: createLocalNodeKey(new Secret(privateKey)),
      keccak: loadFastKeccak(),
      createRunningKeccak: loadRunningKeccak(),
      recover: recoverPublicKey,
      random,
    },
  }
}

import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import {
  ensureDirectory,
  kindOfPath,
  OWNER_ONLY,
  readTextBounded,
  writeFileNew,
} from '#platform/files/files.ts'
import { newPrivateKey } from '#platform/new-private-key.ts'
import { Secret } from '#platform/secret.ts'
import { type CurveName, isPrivateKey, PRIVATE_KEY_BYTES, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { nodeOptions } from './options.ts'

const MAX_KEY_FILE_BYTES = 1024

/** Where the key is, or would be made. */
export function keyFileOf(settings: Settings): string {
  return settings.get(nodeOptions.nodePrivateKeyFile) ?? join(settings.get(nodeOptions.dataPath), 'key')
}

export interface NodeKey {
  readonly file: string
  /** Whether this call made the key. */
  readonly created: boolean
  readonly privateKey: Secret<Uint8Array>
  readonly publicKey: Uint8Array
}

/**
 * The key of this node: read from its file, or made and saved when the default file is missing. A file named by
 * a person must be there: making another identity than the one they meant would be worse than stopping.
 */
export function loadNodeKey(settings: Settings, curve: CurveName = 'secp256k1', file?: string): NodeKey {
  const named = file ?? settings.get(nodeOptions.nodePrivateKeyFile)
  if (named !== undefined && kindOfPath(named) === undefined) {
    throw usageFault(
      `Private key file doesn't exist: ${named}. Correct the path, or leave the option out to have a key made.`,
    )
  }
  const dataPath = settings.get(nodeOptions.dataPath)
  const path = named ?? join(dataPath, 'key')
  if (kindOfPath(path) !== undefined) return withPublicKey(path, false, readKey(path, curve), curve)
  ensureDirectory(dataPath)
  const privateKey = newPrivateKey(curve)
  writeFileNew(path, formatData(privateKey), { mode: OWNER_ONLY })
  return withPublicKey(path, true, privateKey, curve)
}

function readKey(path: string, curve: CurveName): Uint8Array {
  const refused = () =>
    usageFault(
      `Private key cannot be loaded from file ${path}: it must hold 64 hex digits, 0x before them or not.`,
    )
  const text = readTextBounded(path, MAX_KEY_FILE_BYTES).trim()
  let key: Uint8Array
  try {
    key = parseDataLenient(text, PRIVATE_KEY_BYTES)
  } catch {
    // The cause would quote characters of the key.
    throw refused()
  }
  if (key.length !== PRIVATE_KEY_BYTES || !isPrivateKey(curve, key)) throw refused()
  return key
}

function withPublicKey(file: string, created: boolean, privateKey: Uint8Array, curve: CurveName): NodeKey {
  return {
    file,
    created,
    privateKey: new Secret(privateKey),
    publicKey: publicKeyFromPrivate(curve, privateKey),
  }
}

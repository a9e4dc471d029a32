import { join } from 'node:path'
import { databasePathOf, dataOptions, RESTORING_FOLDER } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import type { Settings } from '#config/settings.ts'
import { keyAgreement } from '#p2p/node-key.ts'
import { keyOptions } from '#p2p/options.ts'
import {
  ensureDirectory,
  isMissingOrEmpty,
  kindOfPath,
  OWNER_ONLY,
  readTextBounded,
  writeFileNew,
} from '#platform/files/files.ts'
import { decryptKey } from '#platform/keystore.ts'
import { newPrivateKey } from '#platform/new-private-key.ts'
import { Secret } from '#platform/secret.ts'
import { type CurveName, isPrivateKey, publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { keyFromText } from '#types/key-from-text.ts'

const MAX_KEY_FILE_BYTES = 16 * 1024
/** The value of --security-module if the key is in a file. */
export const LOCAL_FILE = 'localfile'

/** Whether the key is in a file of this node rather than with a plugin or a signer. */
export function hasKeyFile(settings: Settings): boolean {
  return (
    settings.get(keyOptions.securityModule) === LOCAL_FILE &&
    settings.get(keyOptions.nodeSignerUrl) === undefined
  )
}

/** Throws if the private key itself is not available. */
export function refuseOtherHolders(settings: Settings): void {
  if (hasKeyFile(settings)) return
  const url = settings.get(keyOptions.nodeSignerUrl)
  const holder =
    url === undefined ? `the plugin ${settings.get(keyOptions.securityModule)}` : `the signer at ${url}`
  throw usageFault(`The private key of this node is with ${holder}, which does not give it away.`)
}

/** The path of the key file, which may not exist yet. */
export function keyFileOf(settings: Settings): string {
  return settings.get(keyOptions.nodePrivateKeyFile) ?? join(settings.get(dataOptions.dataPath), 'key')
}

export interface NodeKey {
  readonly file: string
  /** Whether this call generated the key. */
  readonly created: boolean
  readonly privateKey: Secret<Uint8Array>
  readonly publicKey: Uint8Array
}

/**
 * Reads the node key, or generates and saves one if the default file is missing and there is no chain yet. A file that the user
 * names must exist, and an existing chain had a key: a different identity would be worse than stopping.
 */
export function loadNodeKey(settings: Settings, curve: CurveName = 'secp256k1', file?: string): NodeKey {
  const path = file ?? keyFileOf(settings)
  return (
    readNodeKey(settings, curve, file) ?? withPublicKey(path, true, makeKey(settings, path, curve), curve)
  )
}

/** Returns undefined if the node would generate a key. */
export function readNodeKey(
  settings: Settings,
  curve: CurveName = 'secp256k1',
  file?: string,
): NodeKey | undefined {
  const named = file ?? settings.get(keyOptions.nodePrivateKeyFile)
  if (named !== undefined && kindOfPath(named) === undefined) {
    throw usageFault(
      `Private key file doesn't exist: ${named}. Correct the path, or omit the option to generate a key.`,
    )
  }
  const path = named ?? keyFileOf(settings)
  if (kindOfPath(path) !== undefined) return withPublicKey(path, false, readKey(path, curve, settings), curve)
  if (hasChain(settings)) throw usageFault(missingBesideChain(path))
  return undefined
}

/**
 * Decides now and acts when the returned function is called: a new chain gets a new key. A command that creates a chain calls
 * this too, since the node started later finds that chain.
 */
export function keyForNewChain(settings: Settings): () => void {
  const isWanted =
    hasKeyFile(settings) && settings.get(keyOptions.nodePrivateKeyFile) === undefined && isNew(settings)
  return () => {
    const path = keyFileOf(settings)
    if (!isWanted || kindOfPath(path) !== undefined) return
    try {
      makeKey(settings, path, 'secp256k1')
    } catch (error) {
      // A concurrent start on the same directory was faster; only one of the two gets the database.
      if (!(error instanceof Fault) || error.kind !== 'FILE_EXISTS') throw error
    }
  }
}

/** Whether the data directory contains neither a chain nor a backup being restored. */
function isNew(settings: Settings): boolean {
  const restoring = join(settings.get(dataOptions.dataPath), RESTORING_FOLDER)
  return isMissingOrEmpty(databasePathOf(settings)) && kindOfPath(restoring) === undefined
}

/** CURRENT is the first file of LevelDB. */
function hasChain(settings: Settings): boolean {
  return kindOfPath(join(databasePathOf(settings), 'CURRENT')) !== undefined
}

function missingBesideChain(path: string): string {
  return `The data directory has a chain but no node key at ${path}. Cairn does not generate another key, because peers and validators know this node by its key. Restore it, or name it with --node-private-key-file. For a new identity, run \`cairn key new --to=${path}\`.`
}

function makeKey(settings: Settings, path: string, curve: CurveName): Uint8Array {
  refuseUnusedPassword(settings, path)
  ensureDirectory(settings.get(dataOptions.dataPath))
  const privateKey = newPrivateKey(curve)
  writeFileNew(path, formatData(privateKey), { mode: OWNER_ONLY })
  return privateKey
}

function readKey(path: string, curve: CurveName, settings: Settings): Uint8Array {
  const refused = () =>
    usageFault(
      `Private key cannot be loaded from file ${path}: it must hold 64 hex digits, 0x before them or not, or be a keystore of version 3.`,
    )
  const text = readTextBounded(path, MAX_KEY_FILE_BYTES).trim()
  if (text.startsWith('{')) return openKeystore(text, path, settings, refused)
  const key = keyFromText(text, curve)
  if (key === undefined) throw refused()
  refuseUnusedPassword(settings, path)
  return key
}

/** A password option implies that the operator believes the key to be encrypted. */
function refuseUnusedPassword(settings: Settings, path: string): void {
  if (settings.get(keyOptions.nodeKeyPasswordFile) === undefined) return
  throw usageFault(
    `${keyOptions.nodeKeyPasswordFile.flag} is given, but the node key ${path} is not encrypted. Encrypt it with \`cairn key encrypt\`, create an encrypted key with \`cairn key new --password-file=<FILE>\`, or remove the option.`,
  )
}

function openKeystore(text: string, path: string, settings: Settings, refused: () => Error): Uint8Array {
  const file = settings.get(keyOptions.nodeKeyPasswordFile)
  if (file === undefined) {
    throw usageFault(
      `The node key ${path} is encrypted. Pass its password file with --node-key-password-file.`,
    )
  }
  const key = decryptKey(text, readPasswordFile(file), path)
  if (!isPrivateKey('secp256k1', key)) throw refused()
  return key
}

function withPublicKey(file: string, created: boolean, privateKey: Uint8Array, curve: CurveName): NodeKey {
  return {
    file,
    created,
    privateKey: new Secret(privateKey),
    // OpenSSL is used because the pure implementation computes tables first, which would delay the start.
    publicKey:
      curve === 'secp256k1' ? keyAgreement(privateKey).publicKey : publicKeyFromPrivate(curve, privateKey),
  }
}

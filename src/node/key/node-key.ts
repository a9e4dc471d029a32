import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import { readPasswordFile } from '#config/read-password-file.ts'
import type { Settings } from '#config/settings.ts'
import { databaseOf } from '#node/ledger.ts'
import { nodeOptions } from '#node/options.ts'
import { keyAgreement } from '#p2p/node-key.ts'
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
import { pluginOptions } from '#plugins/options.ts'
import { RESTORING_FOLDER } from '#store/inspect-directory.ts'
import { type CurveName, isPrivateKey, publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { keyFromText } from '#types/key-from-text.ts'

const MAX_KEY_FILE_BYTES = 16 * 1024
/** The key is in a file of this node, and not with a plugin. */
export const LOCAL_FILE = 'localfile'

/** The key is in a file of this node, and not with a plugin or a signer. */
export function hasKeyFile(settings: Settings): boolean {
  return (
    settings.get(pluginOptions.securityModule) === LOCAL_FILE &&
    settings.get(nodeOptions.nodeSignerUrl) === undefined
  )
}

/** For whoever needs the private key itself. */
export function refuseOtherHolders(settings: Settings): void {
  if (hasKeyFile(settings)) return
  const url = settings.get(nodeOptions.nodeSignerUrl)
  const holder =
    url === undefined ? `the plugin ${settings.get(pluginOptions.securityModule)}` : `the signer at ${url}`
  throw usageFault(`The private key of this node is with ${holder}, which does not give it away.`)
}

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
 * The key of this node: read from its file, or made and saved when the default file is missing and there is no chain yet. A file
 * named by a person must be there, and a chain has had a key: making another identity than the one they meant would be
 * worse than stopping.
 */
export function loadNodeKey(settings: Settings, curve: CurveName = 'secp256k1', file?: string): NodeKey {
  const path = file ?? keyFileOf(settings)
  return (
    readNodeKey(settings, curve, file) ?? withPublicKey(path, true, makeKey(settings, path, curve), curve)
  )
}

/** undefined: there is none, and the node would make one. */
export function readNodeKey(
  settings: Settings,
  curve: CurveName = 'secp256k1',
  file?: string,
): NodeKey | undefined {
  const named = file ?? settings.get(nodeOptions.nodePrivateKeyFile)
  if (named !== undefined && kindOfPath(named) === undefined) {
    throw usageFault(
      `Private key file doesn't exist: ${named}. Correct the path, or leave the option out to have a key made.`,
    )
  }
  const path = named ?? keyFileOf(settings)
  if (kindOfPath(path) !== undefined) return withPublicKey(path, false, readKey(path, curve, settings), curve)
  if (hasChain(settings)) throw usageFault(missingBesideChain(path))
  return undefined
}

/**
 * Decides now, and acts when it is called: where there was no chain, the key is made with it. A command that makes a chain calls
 * this too, since the node that comes after it finds one.
 */
export function keyForNewChain(settings: Settings): () => void {
  const isWanted =
    hasKeyFile(settings) && settings.get(nodeOptions.nodePrivateKeyFile) === undefined && isNew(settings)
  return () => {
    const path = keyFileOf(settings)
    if (!isWanted || kindOfPath(path) !== undefined) return
    try {
      makeKey(settings, path, 'secp256k1')
    } catch (error) {
      // Somebody who starts on the same directory was faster; only one of the two will get the database.
      if (!(error instanceof Fault) || error.kind !== 'FILE_EXISTS') throw error
    }
  }
}

/** Nothing is there that a chain could be made of, or a backup. */
function isNew(settings: Settings): boolean {
  const restoring = join(settings.get(nodeOptions.dataPath), RESTORING_FOLDER)
  return isMissingOrEmpty(databaseOf(settings).path) && kindOfPath(restoring) === undefined
}

/** LevelDB's first file: a directory without it holds nothing. */
function hasChain(settings: Settings): boolean {
  return kindOfPath(join(databaseOf(settings).path, 'CURRENT')) !== undefined
}

function missingBesideChain(path: string): string {
  return `There is a chain in the data directory, and no node key at ${path}. No other key is made in its place: peers and validators know this node by the one it had. Put that key back, or name it with --node-private-key-file; if this node is to have a new identity, make one with \`cairn key new --to=${path}\`.`
}

function makeKey(settings: Settings, path: string, curve: CurveName): Uint8Array {
  refuseUnusedPassword(settings, path)
  ensureDirectory(settings.get(nodeOptions.dataPath))
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

/** The operator of this node believes that its key is encrypted. */
function refuseUnusedPassword(settings: Settings, path: string): void {
  if (settings.get(nodeOptions.nodeKeyPasswordFile) === undefined) return
  throw usageFault(
    `${nodeOptions.nodeKeyPasswordFile.flag} is given, and the node key ${path} is not encrypted. Encrypt it with \`cairn key encrypt\`, make a new encrypted one with \`cairn key new --password-file=<FILE>\`, or remove the option.`,
  )
}

function openKeystore(text: string, path: string, settings: Settings, refused: () => Error): Uint8Array {
  const file = settings.get(nodeOptions.nodeKeyPasswordFile)
  if (file === undefined) {
    throw usageFault(
      `The node key ${path} is encrypted. Name the file with its password with --node-key-password-file.`,
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
    // By OpenSSL: the pure form computes tables first, which a start would wait for.
    publicKey:
      curve === 'secp256k1' ? keyAgreement(privateKey).publicKey : publicKeyFromPrivate(curve, privateKey),
  }
}

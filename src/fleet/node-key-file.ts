/** The key in a node's directory: as text, or in a keystore with its password in another file. */
import { isAbsolute, join, normalize } from 'node:path'
import { readPasswordFile } from '#config/read-password-file.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { decryptKey } from '#platform/keystore.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { addressFromPublicKey, DEFAULT_CURVE, isPrivateKey, publicKeyFromPrivate } from '#types/curve.ts'
import { keyFromText } from '#types/key-from-text.ts'
import { type FleetNode, readConfig } from './network-directory.ts'
import { refusal } from './plan-network.ts'

const MAX_KEY_BYTES = 16 * 1024

export interface NodeKeyFile {
  /** Relative to the node's directory. */
  readonly name: string
  readonly text: string
  readonly privateKey: Uint8Array
  /** Undefined if the key is not encrypted. */
  readonly password: { readonly file: string; readonly text: string } | undefined
}

/** Refuses a key that the node itself would refuse, and files outside its directory. */
export function readKeyFile(node: FleetNode): NodeKeyFile {
  const config = readConfig(node.configFile)
  const name = config['node-private-key-file']
  if (typeof name !== 'string') {
    throw refusal(`${node.configFile} has no node-private-key-file, by which others could know the node.`)
  }
  const path = fileWithin(node, 'node-private-key-file', name)
  const text = readTextBounded(path, MAX_KEY_BYTES)
  const password = text.trimStart().startsWith('{') ? passwordOf(node, path, config) : undefined
  const key =
    password === undefined ? keyFromText(text.trim(), DEFAULT_CURVE) : decryptKey(text, password.text, path)
  if (key === undefined || !isPrivateKey(DEFAULT_CURVE, key)) {
    throw refusal(`${path} is not a private key: it must hold 64 hex digits, or be a keystore of version 3.`)
  }
  return { name, text, privateKey: key, password }
}

/** The key's address, read without the password, because a keystore contains it. Undefined if the file does not show it. */
export function addressInKeyFile(node: FleetNode): Address | undefined {
  try {
    const name = String(readConfig(node.configFile)['node-private-key-file'])
    const text = readTextBounded(fileWithin(node, 'node-private-key-file', name), MAX_KEY_BYTES).trim()
    if (text.startsWith('{')) return parseAddress(String((JSON.parse(text) as { address?: unknown }).address))
    const key = keyFromText(text, DEFAULT_CURVE)
    return key && addressFromPublicKey(publicKeyFromPrivate(DEFAULT_CURVE, key))
  } catch {
    return undefined
  }
}

function passwordOf(node: FleetNode, keyFile: string, config: Readonly<Record<string, unknown>>) {
  const file = config['node-key-password-file']
  if (typeof file !== 'string') {
    throw refusal(
      `The key of ${node.name}, ${keyFile}, is encrypted, and ${node.configFile} does not say where its password is: name the file as node-key-password-file there.`,
    )
  }
  const path = isAbsolute(file) ? file : join(node.directory, file)
  if (kindOfPath(path) !== 'file') {
    throw refusal(
      `The key of ${node.name} is encrypted, but its password file ${path} does not exist. Create it, or correct node-key-password-file in ${node.configFile}.`,
    )
  }
  return { file, text: readPasswordFile(path) }
}

/**
 * The path of a file that an option names. Refuses files outside the node's directory, because only the directory is
 * moved.
 */
export function fileWithin(node: FleetNode, option: string, name: string): string {
  const path = join(node.directory, name)
  if (isWithin(name) && kindOfPath(path) === 'file') return path
  throw refusal(
    `${option} of ${node.configFile} names ${name}, which is not in the node directory. Put it there: only the directory is exported.`,
  )
}

export function isWithin(name: string): boolean {
  return !isAbsolute(name) && !normalize(name).startsWith('..')
}

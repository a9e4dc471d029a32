/** The key in the directory of a node: as text, or in a keystore that the password in another file opens. */
import { isAbsolute, join, normalize } from 'node:path'
import { readPasswordFile } from '#config/read-password-file.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { decryptKey } from '#platform/keystore.ts'
import { DEFAULT_CURVE, isPrivateKey } from '#types/curve.ts'
import { keyFromText } from '#types/key-from-text.ts'
import { type FleetNode, readConfig } from './network-directory.ts'
import { refusal } from './plan-network.ts'

const MAX_KEY_BYTES = 16 * 1024

export interface NodeKeyFile {
  /** Within the directory of the node. */
  readonly name: string
  readonly text: string
  readonly privateKey: Uint8Array
  /** undefined: the key is not encrypted. */
  readonly password: { readonly file: string; readonly text: string } | undefined
}

/** Refuses what the node itself would not start with, and what is not in its directory. */
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
    throw refusal(`${path} is no private key: it must hold 64 hex digits, or be a keystore of version 3.`)
  }
  return { name, text, privateKey: key, password }
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
      `The key of ${node.name} is encrypted, and its password is to be in ${path}, where no file is: put it there, or correct node-key-password-file in ${node.configFile}.`,
    )
  }
  return { file, text: readPasswordFile(path) }
}

/** Where a file is that an option of a node names; refuses what is elsewhere, since its directory is what is moved. */
export function fileWithin(node: FleetNode, option: string, name: string): string {
  const path = join(node.directory, name)
  if (isWithin(name) && kindOfPath(path) === 'file') return path
  throw refusal(
    `${option} of ${node.configFile} names ${name}, which is no file in the directory of the node; put it there, since the directory is what is moved.`,
  )
}

export function isWithin(name: string): boolean {
  return !isAbsolute(name) && !normalize(name).startsWith('..')
}

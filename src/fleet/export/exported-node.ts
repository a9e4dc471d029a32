/** What a node is made of, read from its directory, and the same with other addresses. */
import { type FleetNode, nodesOf, readConfig } from '#fleet/network-directory.ts'
import { formatToml, type TomlValue } from '#fleet/new-network.ts'
import { fileWithin, isWithin, readKeyFile } from '#fleet/node-key-file.ts'
import { refusal } from '#fleet/plan-network.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Options that name a file of the node, and what the file is to whoever moves it. */
const FILES = {
  'genesis-file': 'genesis',
  'static-nodes-file': 'staticNodes',
  'permissions-nodes-config-file': 'permissions',
  'permissions-accounts-config-file': 'permissions',
  'rpc-http-authentication-credentials-file': 'credentials',
  'rpc-ws-authentication-credentials-file': 'credentials',
} as const

export type FileRole = (typeof FILES)[keyof typeof FILES] | 'key' | 'keyPassword'

/** Of a password that is elsewhere, where the node will have it beside its key. */
const PASSWORD_FILE = 'key-password'

export interface ExportedNode {
  readonly node: FleetNode
  readonly name: string
  /** Its public key, as enode URLs have it. */
  readonly id: string
  readonly config: Readonly<Record<string, TomlValue>>
  readonly files: Readonly<Partial<Record<FileRole, { readonly name: string; readonly text: string }>>>
}

export function readNodes(directory: string): readonly ExportedNode[] {
  return nodesOf(directory).map(readNode)
}

function readNode(node: FleetNode): ExportedNode {
  const config = flatConfig(node)
  const { name, text, privateKey, password } = readKeyFile(node)
  const files: Partial<Record<FileRole, { name: string; text: string }>> = { key: { name, text } }
  if (password !== undefined) {
    files.keyPassword = {
      name: isWithin(password.file) ? password.file : PASSWORD_FILE,
      text: `${password.text}\n`,
    }
  }
  for (const [option, role] of Object.entries(FILES)) {
    const name = config[option]
    if (typeof name !== 'string') continue
    files[role] = { name, text: readTextBounded(fileWithin(node, option, name), MAX_FILE_BYTES) }
  }
  const publicKey = publicKeyFromPrivate(DEFAULT_CURVE, privateKey)
  return { node, name: node.name, id: formatData(publicKey).slice(2), config, files }
}

/** Options are texts, numbers, booleans and lists of texts. */
function flatConfig({ configFile }: FleetNode): Record<string, TomlValue> {
  const config = readConfig(configFile)
  const isFlat = (value: unknown): value is TomlValue =>
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((each) => typeof each === 'string'))
  for (const [option, value] of Object.entries(config)) {
    if (isFlat(value)) continue
    throw refusal(`${option} in ${configFile} is a table or a list of such, which no option is; correct it.`)
  }
  return config as Record<string, TomlValue>
}

const ENODE = /enode:\/\/([0-9a-fA-F]{128})@[^"'\s,\]]+/g

/** The enode URLs of these nodes in a text, each at the place where it will be; those of others stay. */
export function withPlaces(text: string, places: ReadonlyMap<string, string>): string {
  return text.replace(ENODE, (url, id: string) => {
    const place = places.get(id.toLowerCase())
    return place === undefined ? url : `enode://${id}@${place}`
  })
}

/** Ports that every node can have where each has an address of its own. */
export const CONTAINER_PORTS = { p2p: 30_303, http: 8_545, websocket: 8_546, metrics: 9_545 } as const

/** The configuration of a node in a container, which is known to the others by a name that may move. */
export function containerConfig(
  { name, config }: ExportedNode,
  changes: Readonly<Record<string, TomlValue>>,
): string {
  const { 'p2p-host': _, ...kept } = config
  const everywhere = '0.0.0.0'
  return formatToml(
    {
      ...kept,
      'p2p-interface': everywhere,
      'p2p-port': CONTAINER_PORTS.p2p,
      'rpc-http-host': everywhere,
      'rpc-http-port': CONTAINER_PORTS.http,
      'rpc-ws-host': everywhere,
      'rpc-ws-port': CONTAINER_PORTS.websocket,
      'metrics-host': everywhere,
      'metrics-port': CONTAINER_PORTS.metrics,
      'Xdns-enabled': true,
      'Xdns-update-enabled': true,
      ...changes,
    },
    `${name}: cairn --config-file=config.toml`,
  )
}

/** Blocks come without peers where there is one validator. */
export const leastPeers = (nodes: readonly ExportedNode[]): number => (nodes.length > 1 ? 1 : 0)

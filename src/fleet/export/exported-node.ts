/** What a node is made of, read from its directory, and the same with other addresses. */
import { join, normalize } from 'node:path'
import { type FleetNode, nodesOf, readConfig } from '#fleet/network-directory.ts'
import { formatToml, type TomlValue } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Options that name a file of the node, and what the file is to whoever moves it. */
const FILES = {
  'genesis-file': 'genesis',
  'node-private-key-file': 'key',
  'static-nodes-file': 'staticNodes',
  'permissions-nodes-config-file': 'permissions',
  'permissions-accounts-config-file': 'permissions',
  'rpc-http-authentication-credentials-file': 'credentials',
  'rpc-ws-authentication-credentials-file': 'credentials',
} as const

export type FileRole = (typeof FILES)[keyof typeof FILES]

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
  const files: Partial<Record<FileRole, { name: string; text: string }>> = {}
  for (const [option, role] of Object.entries(FILES)) {
    const name = config[option]
    if (typeof name !== 'string') continue
    const path = join(node.directory, name)
    if (name.startsWith('/') || normalize(name).startsWith('..') || kindOfPath(path) !== 'file') {
      throw refusal(
        `${option} of ${node.configFile} names ${name}, which is no file in the directory of the node; put it there, since the directory is what is moved.`,
      )
    }
    files[role] = { name, text: readTextBounded(path, MAX_FILE_BYTES) }
  }
  const { key } = files
  if (key === undefined) {
    throw refusal(`${node.configFile} has no node-private-key-file, by which others could know the node.`)
  }
  const publicKey = publicKeyFromPrivate(DEFAULT_CURVE, parseDataLenient(key.text.trim()))
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

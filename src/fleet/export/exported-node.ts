/** Reads a node's files from its directory and rewrites its addresses. */
import { parse } from 'smol-toml'
import { type FleetNode, isRemoved, nodesOf, readConfig } from '#fleet/network-directory.ts'
import { formatToml, type TomlValue } from '#fleet/new-network.ts'
import { addressInKeyFile, fileWithin, isWithin, readKeyFile } from '#fleet/node-key-file.ts'
import { refusal } from '#fleet/plan-network.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { addressFromPublicKey, DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Options that name a file of the node, and the file's role. HTTP and WebSocket users are separate. */
const FILES = {
  'genesis-file': 'genesis',
  'static-nodes-file': 'staticNodes',
  'permissions-nodes-config-file': 'nodePermissions',
  'permissions-accounts-config-file': 'accountPermissions',
  'rpc-http-authentication-credentials-file': 'httpCredentials',
  'rpc-ws-authentication-credentials-file': 'wsCredentials',
} as const

export type FileRole = (typeof FILES)[keyof typeof FILES] | 'key' | 'keyPassword'

/** Services with a port, and the prefix of their options. */
export const SERVICES = { http: 'rpc-http', ws: 'rpc-ws', metrics: 'metrics' } as const
export type ExportedService = keyof typeof SERVICES

/** Names become services, hosts, directories and words of a script that root runs. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/
const LOOPBACK = /^(127\.|::1$|localhost$)/
const DEFAULT_HOST = '127.0.0.1'
const URL_WITH_LOGIN = /:\/\/[^/@\s]*@/

/** The name of a password file from another place, next to the key. */
const PASSWORD_FILE = 'key-password'

export interface ExportedNode {
  readonly node: FleetNode
  readonly name: string
  /** Its public key, as in enode URLs. */
  readonly id: string
  readonly config: Readonly<Record<string, TomlValue>>
  /** True if config.toml contains a password, or an option that may be one. */
  readonly hasSecretConfig: boolean
  readonly files: Readonly<Partial<Record<FileRole, { readonly name: string; readonly text: string }>>>
}

/**
 * Reads the nodes that were not voted out. `isPlain` returns true if an option's value may be public. Options that it
 * does not know are secret.
 */
export function readNodes(directory: string, isPlain: (option: string) => boolean): readonly ExportedNode[] {
  const nodes = nodesOf(directory)
  const removed = nodes.filter(isRemoved).map(addressInKeyFile)
  const isGone = (id: string) => removed.includes(addressFromPublicKey(parseData(`0x${id}`)))
  return nodes
    .filter((node) => !isRemoved(node))
    .map((node) => {
      const read = readNode(node, isPlain)
      const { staticNodes } = read.files
      if (staticNodes === undefined) return read
      const text = withoutNodes(staticNodes.text, isGone)
      return { ...read, files: { ...read.files, staticNodes: { ...staticNodes, text } } }
    })
}

const ENODE_ID = /^enode:\/\/([0-9a-f]{128})@/i

/** A list of static nodes without some of them. A list that the node itself would not read stays as it is. */
function withoutNodes(text: string, isGone: (id: string) => boolean): string {
  let urls: unknown
  try {
    urls = JSON.parse(text)
  } catch {
    return text
  }
  if (!Array.isArray(urls)) return text
  const kept = urls.filter((url) => {
    const id = ENODE_ID.exec(String(url))?.[1]
    return id === undefined || !isGone(id)
  })
  return kept.length === urls.length ? text : `${JSON.stringify(kept, undefined, 2)}\n`
}

function readNode(node: FleetNode, isPlain: (option: string) => boolean): ExportedNode {
  if (!NAME.test(node.name)) {
    throw refusal(
      `The directory ${JSON.stringify(node.name)} cannot be exported under its name: rename it to small letters, digits and hyphens, at most 40, a letter first.`,
    )
  }
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
  const hasSecretConfig = Object.entries(config).some(
    ([option, value]) => !isPlain(option) || URL_WITH_LOGIN.test(String(value)),
  )
  return { node, name: node.name, id: formatData(publicKey).slice(2), config, hasSecretConfig, files }
}

/** True if a service of this node can be reached from other machines. */
export function isExposed({ config }: ExportedNode, service: ExportedService): boolean {
  const option = SERVICES[service]
  return isEnabled(config, service) && !LOOPBACK.test(String(config[`${option}-host`] ?? DEFAULT_HOST))
}

export function isEnabled(config: ExportedNode['config'], service: ExportedService): boolean {
  return config[`${SERVICES[service]}-enabled`] === true
}

/** Nodes or accounts that every node of the network permits; undefined if nothing restricts them. */
export function permittedByAll(
  nodes: readonly ExportedNode[],
  role: 'nodePermissions' | 'accountPermissions',
): readonly string[] | undefined {
  const key = role === 'nodePermissions' ? 'nodes-allowlist' : 'accounts-allowlist'
  const lists = nodes.flatMap(({ files }) => {
    const text = files[role]?.text
    return text === undefined ? [] : [textsIn(parse(text)[key])]
  })
  return lists[0]?.filter((each) => lists.every((list) => list.includes(each)))
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((each) => String(each).toLowerCase()) : []
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

/** Replaces the addresses of these nodes in all enode URLs of a text; other URLs stay. */
export function withPlaces(text: string, places: ReadonlyMap<string, string>): string {
  return text.replace(ENODE, (url, id: string) => {
    const place = places.get(id.toLowerCase())
    return place === undefined ? url : `enode://${id}@${place}`
  })
}

/** The ports of every node, because each container has its own address. */
export const CONTAINER_PORTS = {
  p2p: 30_303,
  http: 8_545,
  ws: 8_546,
  metrics: 9_545,
  console: 8_580,
} as const

/**
 * The configuration of a node in a container. Other nodes know it by name, and its address may change. `hostOf` returns
 * the address on which a service listens.
 */
export function containerConfig(
  { name, config }: ExportedNode,
  hostOf: (service: ExportedService) => string,
  changes: Readonly<Record<string, TomlValue>>,
): string {
  // Addresses of the machine on which the network was made.
  const { 'p2p-host': _, 'console-nodes': _nodes, ...kept } = config
  const services = (Object.keys(SERVICES) as ExportedService[]).flatMap((service) => [
    [`${SERVICES[service]}-host`, hostOf(service)],
    [`${SERVICES[service]}-port`, CONTAINER_PORTS[service]],
  ])
  return formatToml(
    {
      ...kept,
      'p2p-interface': EVERYWHERE,
      'p2p-port': CONTAINER_PORTS.p2p,
      ...(Object.fromEntries(services) as Record<string, TomlValue>),
      'Xdns-enabled': true,
      'Xdns-update-enabled': true,
      ...changes,
    },
    `${name}: cairn --config-file=config.toml`,
  )
}

export const EVERYWHERE = '0.0.0.0'

/** True if this node serves the console. */
export const hasConsole = ({ config }: ExportedNode): boolean => config['console-enabled'] === true

/** The hosts of a node without --host-allowlist. */
const DEFAULT_HOSTS = ['localhost', '127.0.0.1']

/** A node refuses requests for other hosts. A console calls it by its name, which an export adds. */
export function hostsOf({ config }: ExportedNode): readonly string[] {
  const given = config['host-allowlist']
  return given === undefined ? DEFAULT_HOSTS : Array.isArray(given) ? given : String(given).split(',')
}

/** A single validator makes blocks without peers. */
export const leastPeers = (nodes: readonly ExportedNode[]): number => (nodes.length > 1 ? 1 : 0)

/** What a node is made of, read from its directory, and the same with other addresses. */
import { parse } from 'smol-toml'
import { type FleetNode, nodesOf, readConfig } from '#fleet/network-directory.ts'
import { formatToml, type TomlValue } from '#fleet/new-network.ts'
import { fileWithin, isWithin, readKeyFile } from '#fleet/node-key-file.ts'
import { refusal } from '#fleet/plan-network.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Options that name a file of the node, and what the file is to whoever moves it. Users of HTTP are not users of WebSocket. */
const FILES = {
  'genesis-file': 'genesis',
  'static-nodes-file': 'staticNodes',
  'permissions-nodes-config-file': 'nodePermissions',
  'permissions-accounts-config-file': 'accountPermissions',
  'rpc-http-authentication-credentials-file': 'httpCredentials',
  'rpc-ws-authentication-credentials-file': 'wsCredentials',
} as const

export type FileRole = (typeof FILES)[keyof typeof FILES] | 'key' | 'keyPassword'

/** Services with a port, by the beginning of their options. */
export const SERVICES = { http: 'rpc-http', ws: 'rpc-ws', metrics: 'metrics' } as const
export type ExportedService = keyof typeof SERVICES

/** Names become services, hosts, directories and words of a script that root runs. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/
const LOOPBACK = /^(127\.|::1$|localhost$)/
const DEFAULT_HOST = '127.0.0.1'
const URL_WITH_LOGIN = /:\/\/[^/@\s]*@/

/** Of a password that is elsewhere, where the node will have it beside its key. */
const PASSWORD_FILE = 'key-password'

export interface ExportedNode {
  readonly node: FleetNode
  readonly name: string
  /** Its public key, as enode URLs have it. */
  readonly id: string
  readonly config: Readonly<Record<string, TomlValue>>
  /** Whether config.toml holds a password, or an option that may be one. */
  readonly hasSecretConfig: boolean
  readonly files: Readonly<Partial<Record<FileRole, { readonly name: string; readonly text: string }>>>
}

/** `isPlain`: whether the value of an option may be read by everybody. Options that it does not know are secret. */
export function readNodes(directory: string, isPlain: (option: string) => boolean): readonly ExportedNode[] {
  return nodesOf(directory).map((node) => readNode(node, isPlain))
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

/** Whether a service of this node can be reached from other machines. */
export function isExposed({ config }: ExportedNode, service: ExportedService): boolean {
  const option = SERVICES[service]
  return isEnabled(config, service) && !LOOPBACK.test(String(config[`${option}-host`] ?? DEFAULT_HOST))
}

export function isEnabled(config: ExportedNode['config'], service: ExportedService): boolean {
  return config[`${SERVICES[service]}-enabled`] === true
}

/** Nodes that every node of the network permits, and accounts likewise; undefined: nothing restricts them. */
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

/** The enode URLs of these nodes in a text, each at the place where it will be; those of others stay. */
export function withPlaces(text: string, places: ReadonlyMap<string, string>): string {
  return text.replace(ENODE, (url, id: string) => {
    const place = places.get(id.toLowerCase())
    return place === undefined ? url : `enode://${id}@${place}`
  })
}

/** Resources that every node can have where each has an address of its own. */
export const CONTAINER_PORTS = { p2p: 30_303, http: 8_545, ws: 8_546, metrics: 9_545 } as const

/**
 * The configuration of a node in a container, which is known to the others by a name that may move. `hostOf` says where a
 * service listens in it.
 */
export function containerConfig(
  { name, config }: ExportedNode,
  hostOf: (service: ExportedService) => string,
  changes: Readonly<Record<string, TomlValue>>,
): string {
  const { 'p2p-host': _, ...kept } = config
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

/** Blocks come without peers where there is one validator. */
export const leastPeers = (nodes: readonly ExportedNode[]): number => (nodes.length > 1 ? 1 : 0)

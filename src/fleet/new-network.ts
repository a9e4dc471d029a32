/**
 * All files of a new network, prepared before the first is written. Each node's directory is complete: `cairn
 * --config-file=config.toml` starts it there, or on another machine.
 */
import { DEFAULT_CURVE } from '#types/curve.ts'
import { formatEnode } from '#types/enode.ts'
import { formatData } from '#types/hex.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import type { JsonObject } from '#types/json/json-value.ts'
import { freePorts } from './free-ports.ts'
import { OPERATOR, PASSWORD_FILE } from './network-directory.ts'
import { newNodeKey, type PlannedNode, planNetwork } from './plan-network.ts'
import { formatTargets, TARGETS_FILE } from './scrape-targets.ts'

/** Nodes of one machine use its loopback interface. To move a node, change this in its files. */
const HOST = '127.0.0.1'
const FIRST_PORTS = { p2p: 30_303, http: 8_545, websocket: 8_645, metrics: 9_545 } as const
const FIRST_CONSOLE_PORT = 8_580
const FUNDS_WEI = '0x33b2e3c9fd0803ce8000000'
const QBFT_MIX_HASH = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
const EPOCH_BLOCKS = 30_000
const GAS_LIMIT = '0x1c9c3800'
const APIS = ['ETH', 'NET', 'WEB3', 'QBFT', 'BFT', 'TXPOOL', 'ADMIN', 'DEBUG', 'TRACE']

export interface NetworkWishes {
  readonly validators: number
  readonly observers: number
  readonly chainId: number
  readonly blockPeriodSeconds: number
  /** Only the nodes of the network may connect, and only the funded account may send. */
  readonly hasPermissions: boolean
  /** The operator's password and its hash. If undefined, every user of this machine may call. */
  readonly password: { readonly plain: string; readonly hash: string } | undefined
  /** The first port to try for each service; by default, the usual ones. */
  readonly firstPorts?: ServicePorts & { readonly console: number }
}

type ServicePorts = { readonly [Service in keyof typeof FIRST_PORTS]: number }

export interface NewFile {
  /** Relative to the network's directory. */
  readonly path: string
  readonly content: string
  readonly isSecret: boolean
}

export interface NewNetwork {
  readonly files: readonly NewFile[]
  readonly account: string
  readonly accountKey: string
  readonly nodes: readonly { readonly name: string; readonly http: number }[]
  /** The port of the console, which the first node serves. */
  readonly console: number
}

interface NewNode {
  readonly name: string
  readonly key: PlannedNode
  readonly ports: ServicePorts
}

export async function describeNetwork(wishes: NetworkWishes): Promise<NewNetwork> {
  const { address: account, privateKey } = newNodeKey(DEFAULT_CURVE)
  const accountKey = formatData(privateKey)
  const count = wishes.validators + wishes.observers
  const { genesis, nodes: validators } = planNetwork(genesisOf(wishes, account), () => {})
  const keys = [...validators, ...Array.from({ length: wishes.observers }, () => newNodeKey(DEFAULT_CURVE))]
  const planned = new Set<number>()
  const [console] = await freePorts(HOST, wishes.firstPorts?.console ?? FIRST_CONSOLE_PORT, 1, planned)
  const ports = await portsFor(count, wishes.firstPorts ?? FIRST_PORTS, planned)
  const nodes = keys.map((key, at) => ({ name: nameOf(at, wishes.validators), key, ports: ports[at]! }))
  const described = { ...wishes, nodes, console: console!, genesis: formatJson(genesis), account }
  const files = nodes.flatMap((node) => filesOf(node, described))
  files.push({ path: 'account.key', content: accountKey, isSecret: true })
  const scraped = nodes.map(({ name, ports: { metrics } }) => ({ name, host: HOST, port: metrics }))
  files.push({ path: TARGETS_FILE, content: formatTargets(scraped), isSecret: false })
  if (wishes.password !== undefined) {
    files.push({ path: PASSWORD_FILE, content: wishes.password.plain, isSecret: true })
  }
  return {
    files,
    account,
    accountKey,
    nodes: nodes.map(({ name, ports: { http } }) => ({ name, http })),
    console: console!,
  }
}

function nameOf(at: number, validators: number): string {
  return at < validators ? `validator-${at + 1}` : `observer-${at - validators + 1}`
}

/** The ranges of two services meet in a large network. */
async function portsFor(count: number, first: ServicePorts, planned: Set<number>): Promise<ServicePorts[]> {
  const p2p = await freePorts(HOST, first.p2p, count, planned)
  const http = await freePorts(HOST, first.http, count, planned)
  const websocket = await freePorts(HOST, first.websocket, count, planned)
  const metrics = await freePorts(HOST, first.metrics, count, planned)
  return p2p.map((port, at) => ({
    p2p: port,
    http: http[at]!,
    websocket: websocket[at]!,
    metrics: metrics[at]!,
  }))
}

function genesisOf(wishes: NetworkWishes, account: string): JsonObject {
  const genesis = {
    config: {
      chainId: wishes.chainId,
      berlinBlock: 0,
      londonBlock: 0,
      shanghaiTime: 0,
      zeroBaseFee: true,
      qbft: {
        blockperiodseconds: wishes.blockPeriodSeconds,
        epochlength: EPOCH_BLOCKS,
        requesttimeoutseconds: 2 * wishes.blockPeriodSeconds,
      },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: GAS_LIMIT,
    difficulty: '0x1',
    mixHash: QBFT_MIX_HASH,
    coinbase: `0x${'00'.repeat(20)}`,
    alloc: { [account]: { balance: FUNDS_WEI } },
  }
  const blockchain = { nodes: { generate: true, count: wishes.validators } }
  return parseJson(JSON.stringify({ genesis, blockchain })) as JsonObject
}

interface DescribedNetwork extends NetworkWishes {
  readonly nodes: readonly NewNode[]
  readonly console: number
  readonly genesis: string
  readonly account: string
}

function filesOf(node: NewNode, network: DescribedNetwork): NewFile[] {
  const { nodes: all, genesis, account, ...wishes } = network
  const file = (name: string, content: string, isSecret = false): NewFile => ({
    path: `${node.name}/${name}`,
    content,
    isSecret,
  })
  const others = all.filter((each) => each !== node).map(enodeOf)
  const files = [
    file('config.toml', formatToml(configOf(node, network), `${node.name}: cairn --config-file=config.toml`)),
    file('genesis.json', genesis),
    file('key', formatData(node.key.privateKey!), true),
    file('static-nodes.json', `${JSON.stringify(others, undefined, 2)}\n`),
  ]
  if (wishes.hasPermissions) {
    const lists = { 'nodes-allowlist': all.map(enodeOf), 'accounts-allowlist': [account] }
    files.push(file('permissions_config.toml', formatToml(lists, 'Permitted nodes and accounts')))
  }
  if (wishes.password !== undefined) {
    const permissions = ['*:*']
    const users = `[Users.${OPERATOR}]\npassword = "${wishes.password.hash}"\npermissions = ${JSON.stringify(permissions)}\n`
    files.push(file('credentials.toml', users, true))
  }
  return files
}

function enodeOf({ key, ports }: NewNode): string {
  const id = formatData(key.publicKey).slice(2)
  return formatEnode({ id, host: HOST, hostKind: 'ipv4', tcpPort: ports.p2p, udpPort: ports.p2p })
}

export type TomlValue = string | number | boolean | readonly string[]

function configOf(node: NewNode, { nodes, console, ...wishes }: DescribedNetwork): Record<string, TomlValue> {
  const { ports } = node
  // Without lists the methods of PERM fail, and the node warns about them at every start.
  const apis = wishes.hasPermissions ? [...APIS, 'PERM'] : APIS
  return {
    'data-path': 'data',
    'genesis-file': 'genesis.json',
    'node-private-key-file': 'key',
    'static-nodes-file': 'static-nodes.json',
    'discovery-enabled': false,
    'p2p-host': HOST,
    'p2p-interface': HOST,
    'p2p-port': ports.p2p,
    'min-gas-price': 0,
    'rpc-http-enabled': true,
    'rpc-http-host': HOST,
    'rpc-http-port': ports.http,
    'rpc-http-api': apis,
    'rpc-ws-enabled': true,
    'rpc-ws-host': HOST,
    'rpc-ws-port': ports.websocket,
    'rpc-ws-api': apis,
    'metrics-enabled': true,
    'metrics-host': HOST,
    'metrics-port': ports.metrics,
    ...(node === nodes[0] && {
      'console-enabled': true,
      'console-port': console,
      'console-nodes': nodes.map(({ name, ports: { http } }) => `${name}=http://${HOST}:${http}`),
    }),
    ...(wishes.hasPermissions && {
      'permissions-nodes-config-file-enabled': true,
      'permissions-nodes-config-file': 'permissions_config.toml',
      'permissions-accounts-config-file-enabled': true,
      'permissions-accounts-config-file': 'permissions_config.toml',
    }),
    ...(wishes.password !== undefined && {
      'rpc-http-authentication-enabled': true,
      'rpc-http-authentication-credentials-file': 'credentials.toml',
      'rpc-ws-authentication-enabled': true,
      'rpc-ws-authentication-credentials-file': 'credentials.toml',
    }),
  }
}

/** JSON of texts, numbers, booleans and lists of texts is also TOML. */
export function formatToml(values: Readonly<Record<string, TomlValue>>, heading: string): string {
  const rows = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
  return `# ${heading}\n${rows.join('')}`
}

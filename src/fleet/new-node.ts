/** Adds a node to an existing network: like its first node, with its own key and ports. */
import { basename, dirname, join } from 'node:path'
import {
  ensureDirectory,
  kindOfPath,
  OWNER_ONLY,
  readTextBounded,
  writeFileAtomic,
  writeFileNew,
} from '#platform/files/files.ts'
import { encryptKey } from '#platform/keystore.ts'
import { modeOf } from '#platform/machine.ts'
import { systemRandom } from '#platform/random.ts'
import type { Address } from '#types/address.ts'
import { DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { formatEnode } from '#types/enode.ts'
import { formatData } from '#types/hex.ts'
import { askNode } from './ask-node.ts'
import { endpointOf } from './endpoint.ts'
import { freePorts } from './free-ports.ts'
import { type FleetNode, nodeNamed, nodesOf, readConfig } from './network-directory.ts'
import { isWithin, type NodeKeyFile, readKeyFile } from './node-key-file.ts'
import { pidOf } from './node-process.ts'
import { newNodeKey, refusal } from './plan-network.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024
const PERMISSIONS_FILE = 'permissions_config.toml'
const PORT_ROW = /^(p2p-port|rpc-http-port|rpc-ws-port|metrics-port) *= *(\d+)$/gm
const CONSOLE_ROW = /^console-.*\n/gm
const CONSOLE_NODES_ROW = /^console-nodes *= *\[[^\]]*\]/m
const USED_PORT = /^[\w-]+-port *= *(\d+)$/gm
const DEFAULT_P2P_PORT = 30_303
const HOST_ROW = /^p2p-host *= *"([^"]+)"$/m

export interface AddedNode {
  readonly node: FleetNode
  readonly address: Address
  /** The nodes whose consoles list the new one; they read their lists when they start. */
  readonly consoles: readonly string[]
}

export async function writeNode(directory: string): Promise<AddedNode> {
  const nodes = nodesOf(directory)
  const like = readKeyFile(nodes[0]!)
  const name = nextName(directory)
  const folder = join(directory, name)
  const { address, publicKey, privateKey } = newNodeKey(DEFAULT_CURVE)
  const { config, host, p2pPort, httpPort, firstPort } = await configLike(nodes, name)
  const enode = enodeOf(publicKey, host, p2pPort)
  const first = enodeOf(publicKeyFromPrivate(DEFAULT_CURVE, like.privateKey), host, firstPort)
  if (kindOfPath(join(nodes[0]!.directory, PERMISSIONS_FILE)) !== undefined) await permit(nodes, enode)
  ensureDirectory(folder)
  writeKey(like, folder, privateKey)
  const known = new Set(nodes.flatMap(staticNodes))
  // The other nodes, if any, know the first one, perhaps at another address.
  if (![...known].some((url) => url.startsWith(first.split('@')[0]!))) known.add(first)
  writeFileNew(join(folder, 'static-nodes.json'), `${JSON.stringify([...known], undefined, 2)}\n`)
  copyFiles(nodes[0]!, folder)
  // Written last, because a directory with a configuration file is a node and is started.
  writeFileNew(join(folder, 'config.toml'), config, modeLike(nodes[0]!.configFile))
  const consoles = nodes.filter((each) => showInConsole(each, `${name}=http://${host}:${httpPort}`))
  return { node: nodeNamed(directory, name), address, consoles: consoles.map((each) => each.name) }
}

/** False if the node has no console that lists other nodes. */
function showInConsole({ configFile }: FleetNode, entry: string): boolean {
  const { 'console-nodes': nodes } = readConfig(configFile)
  if (!Array.isArray(nodes)) return false
  const row = `console-nodes = ${JSON.stringify([...nodes, entry])}`
  writeFileAtomic(
    configFile,
    read(configFile).replace(CONSOLE_NODES_ROW, () => row),
  )
  return true
}

/** The URL at which the other nodes reach a node of this machine. */
export function enodeOfNode(node: FleetNode): string {
  const { 'p2p-host': host, 'p2p-port': port } = readConfig(node.configFile)
  const publicKey = publicKeyFromPrivate(DEFAULT_CURVE, readKeyFile(node).privateKey)
  return enodeOf(publicKey, String(host), Number(port))
}

function enodeOf(publicKey: Uint8Array, host: string, port: number): string {
  const id = formatData(publicKey).slice(2)
  return formatEnode({ id, host, hostKind: 'ipv4', tcpPort: port, udpPort: port })
}

/** Stores the key like the first node's: under the same name, and encrypted with the same password, if any. */
function writeKey({ name, password }: NodeKeyFile, folder: string, privateKey: Uint8Array): void {
  const write = (file: string, content: string) => {
    ensureDirectory(dirname(join(folder, file)))
    writeFileNew(join(folder, file), content, { mode: OWNER_ONLY })
  }
  write(
    name,
    password === undefined ? formatData(privateKey) : encryptKey(privateKey, password.text, systemRandom),
  )
  if (password !== undefined && isWithin(password.file)) write(password.file, `${password.text}\n`)
}

/** A directory without a configuration file holds the key of an unfinished node. */
function nextName(directory: string): string {
  let number = 1
  while (kindOfPath(join(directory, `validator-${number}`)) !== undefined) number += 1
  return `validator-${number}`
}

/** The first node's configuration with free ports that no other node of the network uses. */
async function configLike(nodes: readonly FleetNode[], name: string) {
  const texts = nodes.map(({ configFile }) => read(configFile))
  const host = HOST_ROW.exec(texts[0]!)?.[1]
  if (host === undefined) {
    throw refusal(`${nodes[0]!.configFile} has no p2p-host, so the node cannot advertise an address. Set it.`)
  }
  const firstPort = Number(/^p2p-port *= *(\d+)$/m.exec(texts[0]!)?.[1] ?? DEFAULT_P2P_PORT)
  const ports = new Map<string, number>()
  for (const [, key, port] of texts.flatMap((text) => [...text.matchAll(PORT_ROW)])) {
    ports.set(key!, Math.max(ports.get(key!) ?? 0, Number(port)))
  }
  const planned = new Set(
    texts.flatMap((text) => [...text.matchAll(USED_PORT)].map(([, port]) => Number(port))),
  )
  for (const [key, last] of ports) ports.set(key, (await freePorts(host, last + 1, 1, planned))[0]!)
  const config = texts[0]!
    // One console shows the network.
    .replace(CONSOLE_ROW, '')
    .replace(PORT_ROW, (_, key) => `${key} = ${ports.get(key)}`)
    .replace(nodes[0]!.name, name)
  const portOf = (key: string): number => ports.get(key) ?? 0
  return { config, host, p2pPort: portOf('p2p-port'), httpPort: portOf('rpc-http-port'), firstPort }
}

/** Every running node adds the new one to its permissions file. */
async function permit(nodes: readonly FleetNode[], enode: string): Promise<void> {
  const call = { method: 'perm_addNodesToAllowlist', params: [[enode]] }
  for (const node of nodes.filter((each) => pidOf(each) !== undefined)) {
    const [answer] = await askNode(endpointOf(node), [call])
    if (answer?.error !== undefined) throw refusal(`${node.name} did not permit it: ${answer.error.message}.`)
  }
}

function copyFiles(from: FleetNode, folder: string): void {
  for (const file of ['genesis.json', PERMISSIONS_FILE, 'credentials.toml', basename(from.programFile)]) {
    const source = join(from.directory, file)
    if (kindOfPath(source) !== undefined) writeFileNew(join(folder, file), read(source), modeLike(source))
  }
}

/** The new file is readable by the same users as the first node's. */
function modeLike(source: string): { readonly mode: number } {
  return { mode: modeOf(source) ?? OWNER_ONLY }
}

function staticNodes({ directory }: FleetNode): string[] {
  return JSON.parse(read(join(directory, 'static-nodes.json')))
}

function read(file: string): string {
  return readTextBounded(file, MAX_FILE_BYTES)
}

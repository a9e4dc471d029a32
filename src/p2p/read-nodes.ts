/** Bootnodes and static nodes, named by options and files. Host names are resolved once, or kept and resolved at every dial. */

import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { canonicalIp } from './ip-bytes.ts'
import { peerOptions } from './options.ts'

const STATIC_NODES = 'static-nodes.json'
const MAX_FILE_BYTES = 1024 * 1024

export interface NamedNodes {
  readonly bootnodes: readonly Enode[]
  readonly staticNodes: readonly Enode[]
}

export function readNameRules(settings: Settings): NameRules {
  return {
    areAllowed: settings.get(peerOptions.dnsEnabled),
    areKept: settings.get(peerOptions.dnsUpdateEnabled),
    resolve: resolveHost,
  }
}

export async function readNamedNodes(settings: Settings): Promise<NamedNodes> {
  const names = readNameRules(settings)
  return {
    bootnodes: await readBootnodes(settings.get(peerOptions.bootnodes) ?? [], names),
    staticNodes: await readStaticNodes(settings, names),
  }
}

/** An entry is an enode URL, or a file with one per line and comments after #. */
async function readBootnodes(entries: readonly string[], names: NameRules): Promise<readonly Enode[]> {
  const urls = entries.flatMap((entry) => {
    if (/^https?:/i.test(entry)) {
      throw usageFault(`--bootnodes: Cairn loads no lists from the web; save ${entry} and name the file.`)
    }
    const file = entry.replace(/^file:\/\//i, '')
    if (/^(enode|enr):/i.test(entry) || kindOfPath(file) !== 'file') return [entry]
    const lines = readTextBounded(file, MAX_FILE_BYTES).split('\n')
    return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
  })
  return await Promise.all(
    urls.map(async (url) => {
      const enode = await parseNode(url, '--bootnodes', names)
      if (enode.udpPort !== null) return enode
      throw usageFault(`Bootnodes must have discovery enabled. Invalid bootnodes: ${url}.`)
    }),
  )
}

async function readStaticNodes(settings: Settings, names: NameRules): Promise<readonly Enode[]> {
  const named = settings.get(peerOptions.staticNodesFile)
  const file = named ?? join(settings.get(dataOptions.dataPath), STATIC_NODES)
  if (kindOfPath(file) !== 'file') {
    if (named === undefined) return []
    throw usageFault(`Static nodes file does not exist: ${named}. Correct the path, or leave the option out.`)
  }
  return await parseStaticNodes(readTextBounded(file, MAX_FILE_BYTES), file, names)
}

const NODES_MAX = 1_000

export interface NameRules {
  /** Set by --Xdns-enabled. */
  readonly areAllowed: boolean
  /** Set by --Xdns-update-enabled: names are kept and resolved at every dial. */
  readonly areKept: boolean
  readonly resolve: (name: string) => Promise<string>
}

/** Uses the system resolver and prefers IPv4, like Besu. */
export async function resolveHost(name: string): Promise<string> {
  return canonicalIp((await lookup(name, { order: 'ipv4first' })).address)
}

/** Parses `static-nodes.json`: a JSON array of enode URLs of nodes that accept connections. */
export async function parseStaticNodes(
  text: string,
  file: string,
  names: NameRules,
): Promise<readonly Enode[]> {
  if (text.trim() === '') return []
  let urls: unknown
  try {
    urls = JSON.parse(text)
  } catch (cause) {
    throw usageFault(`${file} is not valid JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
  if (!Array.isArray(urls) || !urls.every((url) => typeof url === 'string')) {
    throw usageFault(`${file} must hold a JSON array of enode URLs.`)
  }
  if (urls.length > NODES_MAX) throw usageFault(`${file} names more than ${NODES_MAX} nodes.`)
  return await Promise.all(
    urls.map(async (url: string) => {
      const enode = await parseNode(url, file, names)
      if (enode.tcpPort !== null) return enode
      throw usageFault(`${file}: static node must be configured with a valid listening port: ${url}`)
    }),
  )
}

/** Parses an enode URL; `origin` appears in errors. */
export async function parseNode(url: string, origin: string, names: NameRules): Promise<Enode> {
  let enode: Enode
  try {
    enode = parseEnode(url, { allowHostNames: names.areAllowed })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw usageFault(`${origin}: ${error.data.sentence}`)
  }
  if (enode.hostKind !== 'name' || names.areKept) return enode
  try {
    return await locate(enode, names.resolve)
  } catch {
    throw usageFault(
      `${origin}: DNS does not resolve the host ${enode.host}. Correct the name, or write its address.`,
    )
  }
}

/** Returns the node with its host resolved. Rejects if that fails. */
export async function locate(enode: Enode, resolve: NameRules['resolve']): Promise<Enode> {
  if (enode.hostKind !== 'name') return enode
  const host = await resolve(enode.host)
  return { ...enode, host, hostKind: host.includes(':') ? 'ipv6' : 'ipv4' }
}

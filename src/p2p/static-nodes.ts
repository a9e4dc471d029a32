/** Nodes that files and options name. Names of hosts are looked up here, once, unless they are to be looked up at every dial. */
import { lookup } from 'node:dns/promises'
import { usageFault } from '#config/faults.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { canonicalIp } from './ip-bytes.ts'

const NODES_MAX = 1_000

export interface NameRules {
  /** --Xdns-enabled. */
  readonly areAllowed: boolean
  /** --Xdns-update-enabled: names are kept, and looked up at every dial. */
  readonly areKept: boolean
  readonly resolve: (name: string) => Promise<string>
}

/** By the system, whose settings are nobody's to change here; IPv4 where a host has both, as Besu does. */
export async function resolveHost(name: string): Promise<string> {
  return canonicalIp((await lookup(name, { order: 'ipv4first' })).address)
}

/** `static-nodes.json`: a JSON array of enode URLs, each of a node that takes connections. */
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

/** An enode URL that `origin` names. */
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
      `${origin}: nobody knows the host ${enode.host}; correct the name, or write its address.`,
    )
  }
}

/** The same node with the address of its host. Rejects where nobody knows it. */
export async function locate(enode: Enode, resolve: NameRules['resolve']): Promise<Enode> {
  if (enode.hostKind !== 'name') return enode
  const host = await resolve(enode.host)
  return { ...enode, host, hostKind: host.includes(':') ? 'ipv6' : 'ipv4' }
}

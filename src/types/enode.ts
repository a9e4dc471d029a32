/**
 * A node's URL: `enode://<node id>@<host>:<tcp port>[?discport=<udp port>]`. Texts are accepted and refused as in
 * Besu, in the same order and with the same sentences, which operators and scripts know. Names are not resolved here.
 */
import { Fault } from './fault.ts'
import { ipv4InIpv6, parseIpv4, parseIpv6 } from './ip.ts'

export interface Enode {
  /** The public key: 128 lower-case hex digits, no prefix. */
  readonly id: string
  /** Canonical; IPv6 without brackets. */
  readonly host: string
  readonly hostKind: 'ipv4' | 'ipv6' | 'name'
  /** Null (port 0 in the text) if the node accepts no connections. */
  readonly tcpPort: number | null
  /** Null (port 0 in the text) if the node takes no part in discovery. */
  readonly udpPort: number | null
}

export interface EnodeOptions {
  readonly allowHostNames?: boolean
}

/** The kind of mistake, for callers that answer each one differently. */
export type EnodeProblem = 'syntax' | 'nodeId' | 'hostName'

/** A host name has at most 253 characters, so no valid URL comes near. */
const MAX_CHARACTERS = 1024
const QUOTED_CHARACTERS = 128
const MAX_NAME_CHARACTERS = 253
const MAX_PORT = 65_535

const BLANK = /[\s\p{Cc}]/u
const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/
/** Authority and query after the scheme. Path and fragment are ignored, as in Besu. */
const LOCATION = /^\/\/([^/?#]*)(?:\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$/
const AUTHORITY = /^(?:([^@]*)@)?(\[[^\][@]*\]|[^\][@:]+)(?::([0-9]*))?$/
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?\.?$/
const NODE_ID = /^[0-9a-fA-F]{128}$/
const DISCOVERY_QUERY = /^discport=([0-9]{1,5})$/
const NODE_ID_RULE =
  "node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix."

export function parseEnode(text: string, options: EnodeOptions = {}): Enode {
  const fail: (reason: string, problem?: EnodeProblem) => never = (reason, problem = 'syntax') => {
    throw invalidEnode(text, reason, problem)
  }
  if (text.length > MAX_CHARACTERS) fail(`An enode URL has at most ${MAX_CHARACTERS} characters.`)
  if (text.trim() === '') fail('Invalid empty value.')
  if (BLANK.test(text)) fail(`Illegal character at index ${text.search(BLANK)}.`)

  const [, scheme, location] = SCHEME.exec(text) ?? []
  if (scheme === undefined || location === undefined) fail("Missing 'enode' scheme.")
  const [, authority = '', query] = LOCATION.exec(location) ?? []
  const [, id, hostText = '', tcpDigits] = AUTHORITY.exec(authority) ?? []
  const place = parseHost(hostText)
  if (place === null) fail('Missing or invalid host or ip address.')
  if (!id) fail('Missing node ID.')
  if (scheme.toLowerCase() !== 'enode') fail('Invalid URI scheme (must equal "enode").')
  if (!NODE_ID.test(id)) fail(`Invalid node ID: ${NODE_ID_RULE}`, 'nodeId')
  const udpDigits = query === undefined ? tcpDigits : DISCOVERY_QUERY.exec(query)?.[1]
  if (query !== undefined && udpDigits === undefined) fail(`Invalid discovery port: '${query}'.`)
  if (place.hostKind === 'name' && !options.allowHostNames) fail('Invalid ip address.', 'hostName')

  const tcpPort = toPort(tcpDigits)
  const udpPort = toPort(udpDigits)
  const range = `requires a value between 1 and ${MAX_PORT}. Got`
  if (!isPort(tcpPort)) fail(`listening port ${range} ${tcpPort}.`)
  if (!isPort(udpPort)) fail(`discovery port ${range} ${udpPort}.`)
  return { id: id.toLowerCase(), ...place, tcpPort: tcpPort || null, udpPort: udpPort || null }
}

export function formatEnode({ id, host, hostKind, tcpPort, udpPort }: Enode): string {
  const query = tcpPort === udpPort ? '' : `?discport=${udpPort ?? 0}`
  return `enode://${id}@${hostKind === 'ipv6' ? `[${host}]` : host}:${tcpPort ?? 0}${query}`
}

/** The same node at the same address; its discovery port may differ. */
export function sameEndpoint(a: Enode, b: Enode): boolean {
  return a.id === b.id && a.host === b.host && a.tcpPort === b.tcpPort
}

function parseHost(text: string): Pick<Enode, 'host' | 'hostKind'> | null {
  if (text.startsWith('[')) {
    const host = parseIpv6(text.slice(1, -1))
    if (host === null) return null
    // The same endpoint in two notations: uses the shorter one, as Besu does.
    const ipv4 = ipv4InIpv6(host)
    return ipv4 === null ? { host, hostKind: 'ipv6' } : { host: ipv4, hostKind: 'ipv4' }
  }
  if (parseIpv4(text) !== null) return { host: text, hostKind: 'ipv4' }
  const host = text.toLowerCase()
  return host.length <= MAX_NAME_CHARACTERS && NAME.test(host) ? { host, hostKind: 'name' } : null
}

/** A missing port counts as -1, which Besu's message shows. */
function toPort(digits: string | undefined): number {
  return digits ? Number(digits) : -1
}

function isPort(number: number): boolean {
  return number >= 0 && number <= MAX_PORT
}

function invalidEnode(text: string, reason: string, problem: EnodeProblem): Fault<'INVALID_ENODE'> {
  const quoted = text.length > MAX_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}...` : text
  const form = 'enode://<node_id>@<ip>:<listening_port>[?discport=<discovery_port>]'
  return new Fault('INVALID_ENODE', {
    sentence: `Invalid enode URL syntax '${quoted}'. Enode URL should have the following format '${form}'. ${reason}`,
    reason,
    problem,
  })
}

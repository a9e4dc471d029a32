/** Discovery v4 packets with EIP-868: hash, signature, type and an RLP list. */
import { p2pFault } from '#p2p/faults.ts'
import { ipFromBytes, ipToBytes } from '#p2p/ip-bytes.ts'
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import { bigintToBytes, bytesToBigint, concatBytes, equalBytes, numberToBytes } from '#types/bytes.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '#types/curve.ts'
import { HASH_BYTES } from '#types/hash.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpItemEnd } from '#types/rlp.ts'
import type { Recover } from '#types/transaction/signature.ts'

export const PACKET_MAX_BYTES = 1280
/** The number that fits even with sixteen-byte addresses. */
export const NEIGHBORS_PER_PACKET = 12
const LIMITS = { maxDepth: 16, maxItems: 256, maxBytes: PACKET_MAX_BYTES }
const HEADER_BYTES = HASH_BYTES + SIGNATURE_BYTES
const MAX_PORT = 65_535
const TIME_MAX_BYTES = 6
/** The value that geth and Besu send; receivers ignore it. */
const PING_VERSION = 4

export interface UdpEndpoint {
  /** Null if the sender gives no valid address. */
  readonly ip: string | null
  readonly udpPort: number
  readonly tcpPort: number
}

export interface Neighbor extends UdpEndpoint {
  readonly ip: string
  /** 128 hex digits. */
  readonly id: string
}

interface Expiring {
  /** Unix time. */
  readonly expirationSeconds: number
}

export interface PingPacket extends Expiring {
  readonly type: 'ping'
  readonly from: UdpEndpoint
  readonly to: UdpEndpoint
  readonly recordSequence: bigint | null
}

export interface PongPacket extends Expiring {
  readonly type: 'pong'
  readonly to: UdpEndpoint
  readonly pingHash: Uint8Array
  readonly recordSequence: bigint | null
}

export interface FindNodePacket extends Expiring {
  readonly type: 'findNode'
  readonly target: Uint8Array
}

export interface NeighborsPacket extends Expiring {
  readonly type: 'neighbors'
  readonly nodes: readonly Neighbor[]
}

export interface RecordRequestPacket extends Expiring {
  readonly type: 'recordRequest'
}

export interface RecordResponsePacket {
  readonly type: 'recordResponse'
  readonly requestHash: Uint8Array
  readonly record: Uint8Array
}

export type DiscoveryPacket =
  | PingPacket
  | PongPacket
  | FindNodePacket
  | NeighborsPacket
  | RecordRequestPacket
  | RecordResponsePacket

export interface ReceivedPacket {
  readonly packet: DiscoveryPacket
  /** The hash of the complete packet, which answers refer to. */
  readonly hash: Uint8Array
  /** Recovers the sender's id, 128 hex digits. This is expensive, so invalid packets are refused before. */
  sender(recover: Recover): string
}

const TYPES: Readonly<Record<DiscoveryPacket['type'], number>> = {
  ping: 1,
  pong: 2,
  findNode: 3,
  neighbors: 4,
  recordRequest: 5,
  recordResponse: 6,
}

export async function encodePacket(
  nodeKey: NodeKeyHolder,
  keccak: Keccak,
  packet: DiscoveryPacket,
): Promise<{ readonly bytes: Uint8Array; readonly hash: Uint8Array }> {
  const content = concatBytes(Uint8Array.of(TYPES[packet.type]), encodeRlp(itemsOf(packet)))
  const signed = concatBytes(await nodeKey.sign(keccak(content)), content)
  const hash = keccak(signed)
  return { bytes: concatBytes(hash, signed), hash }
}

/** Throws INVALID_DISCOVERY_PACKET. Extra items, and bytes after the list, are reserved for later versions (EIP-8). */
export function decodePacket(bytes: Uint8Array, keccak: Keccak): ReceivedPacket {
  if (bytes.length > PACKET_MAX_BYTES || bytes.length < HEADER_BYTES + 2)
    throw invalid('it has a wrong length')
  const hash = bytes.slice(0, HASH_BYTES)
  if (!equalBytes(keccak(bytes.subarray(HASH_BYTES)), hash)) throw invalid('its hash is wrong')
  const signature = bytes.slice(HASH_BYTES, HEADER_BYTES)
  const content = bytes.subarray(HEADER_BYTES)
  const digest = keccak(content)
  return {
    packet: decodeContent(content[0]!, content.subarray(1)),
    hash,
    sender: (recover) => formatDigits(recover(digest, signature)),
  }
}

function itemsOf(packet: DiscoveryPacket): RlpItem {
  const sequence = (value: bigint | null) => (value === null ? [] : [bigintToBytes(value)])
  if (packet.type === 'recordResponse') return [packet.requestHash, decodeRlp(packet.record)]
  const expiration = numberToBytes(packet.expirationSeconds)
  switch (packet.type) {
    case 'ping': {
      const { from, to, recordSequence } = packet
      const version = numberToBytes(PING_VERSION)
      return [version, endpointItem(from), endpointItem(to), expiration, ...sequence(recordSequence)]
    }
    case 'pong':
      return [endpointItem(packet.to), packet.pingHash, expiration, ...sequence(packet.recordSequence)]
    case 'findNode':
      return [packet.target, expiration]
    case 'neighbors':
      return [packet.nodes.map((node) => [...endpointItem(node), parseDataLenient(node.id)]), expiration]
    case 'recordRequest':
      return [expiration]
  }
}

function endpointItem({ ip, udpPort, tcpPort }: UdpEndpoint): Uint8Array[] {
  const address = ip === null ? new Uint8Array(0) : ipToBytes(ip)
  return [address, numberToBytes(udpPort), numberToBytes(tcpPort)]
}

function decodeContent(type: number, data: Uint8Array): DiscoveryPacket {
  const items = decodeItems(data)
  switch (type) {
    case TYPES.ping:
      return {
        type: 'ping',
        from: decodeEndpoint(items[1]),
        to: decodeEndpoint(items[2]),
        expirationSeconds: decodeTime(items[3]),
        recordSequence: decodeSequence(items[4]),
      }
    case TYPES.pong:
      return {
        type: 'pong',
        to: decodeEndpoint(items[0]),
        pingHash: decodeBytes(items[1], HASH_BYTES),
        expirationSeconds: decodeTime(items[2]),
        recordSequence: decodeSequence(items[3]),
      }
    case TYPES.findNode: {
      const target = decodeBytes(items[0], PUBLIC_KEY_BYTES)
      return { type: 'findNode', target, expirationSeconds: decodeTime(items[1]) }
    }
    case TYPES.neighbors: {
      const [nodes] = items
      if (nodes === undefined || nodes instanceof Uint8Array) throw invalid('nodes are missing')
      return {
        type: 'neighbors',
        nodes: nodes.flatMap(decodeNeighbor),
        expirationSeconds: decodeTime(items[1]),
      }
    }
    case TYPES.recordRequest:
      return { type: 'recordRequest', expirationSeconds: decodeTime(items[0]) }
    case TYPES.recordResponse: {
      const record = items[1]
      if (record === undefined || record instanceof Uint8Array) throw invalid('the record is missing')
      return {
        type: 'recordResponse',
        requestHash: decodeBytes(items[0], HASH_BYTES),
        record: encodeRlp(record),
      }
    }
    default:
      throw invalid(`unknown type ${type}`)
  }
}

function decodeItems(data: Uint8Array): readonly RlpItem[] {
  let item: RlpItem
  try {
    item = decodeRlp(data.subarray(0, rlpItemEnd(data, 0)), LIMITS)
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause))
  }
  if (item instanceof Uint8Array) throw invalid('it has no list')
  return item
}

function decodeEndpoint(item: RlpItem | undefined): UdpEndpoint {
  if (item === undefined || item instanceof Uint8Array) throw invalid('an endpoint is missing')
  const [ip, udpPort, tcpPort] = item
  if (!(ip instanceof Uint8Array)) throw invalid('an address is missing')
  return { ip: ipFromBytes(ip), udpPort: decodePort(udpPort), tcpPort: decodePort(tcpPort) }
}

/** Omits nodes without an endpoint, because the rest of the list may be useful. */
function decodeNeighbor(item: RlpItem): readonly Neighbor[] {
  const { ip, udpPort, tcpPort } = decodeEndpoint(item)
  const id = formatDigits(decodeBytes((item as readonly RlpItem[])[3], PUBLIC_KEY_BYTES))
  return ip === null || udpPort === 0 ? [] : [{ ip, udpPort, tcpPort, id }]
}

/** Besu omits the TCP port if there is none. */
function decodePort(item: RlpItem | undefined): number {
  if (item === undefined) return 0
  if (!(item instanceof Uint8Array) || item.length > 2) throw invalid('a port has more than two bytes')
  const port = Number(bytesToBigint(item))
  if (port > MAX_PORT) throw invalid(`a port is ${port}`)
  return port
}

/** Longer numbers are not a time; geth reads them as one before 1970. */
function decodeTime(item: RlpItem | undefined): number {
  if (!(item instanceof Uint8Array) || item.length > TIME_MAX_BYTES)
    throw invalid('the expiration is not a time')
  return Number(bytesToBigint(item))
}

function decodeSequence(item: RlpItem | undefined): bigint | null {
  return item instanceof Uint8Array && item.length <= 8 ? bytesToBigint(item) : null
}

function decodeBytes(item: RlpItem | undefined, length: number): Uint8Array {
  if (item instanceof Uint8Array && item.length === length) return item.slice()
  throw invalid(`${length} bytes are missing`)
}

function invalid(what: string) {
  return p2pFault('INVALID_DISCOVERY_PACKET', { sentence: `A packet of discovery is not valid: ${what}.` })
}

/** Signed node records (EIP-778), with the fork id of EIP-2124 under `eth`. */
import { p2pFault } from '#p2p/faults.ts'
import { ipFromBytes, ipToBytes } from '#p2p/ip-bytes.ts'
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import {
  bigintToBytes,
  bytesToBigint,
  compareBytes,
  concatBytes,
  equalBytes,
  numberToBytes,
} from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import type { Recover } from '#types/transaction/signature.ts'

export const RECORD_MAX_BYTES = 300
const LIMITS = { maxDepth: 8, maxItems: 100, maxBytes: RECORD_MAX_BYTES }
const SIGNATURE_BYTES = 64
const MAX_PORT = 65_535
const FORK_HASH_BYTES = 4

/** The past forks of a chain and its next one. */
export interface ForkId {
  /** Four bytes. */
  readonly hash: Uint8Array
  /** Block number or time of the next fork; 0 if none is known. */
  readonly next: bigint
}

export interface NodeRecord {
  readonly sequence: bigint
  /** 128 hex digits. */
  readonly id: string
  readonly ip: string | null
  readonly tcpPort: number | null
  readonly udpPort: number | null
  readonly ip6: string | null
  readonly tcp6Port: number | null
  readonly udp6Port: number | null
  readonly forkId: ForkId | null
}

export interface RecordParts {
  readonly keccak: Keccak
  readonly recover: Recover
}

export async function encodeRecord(
  nodeKey: NodeKeyHolder,
  keccak: Keccak,
  record: Omit<NodeRecord, 'id'>,
): Promise<Uint8Array> {
  const port = (value: number | null) => (value === null ? null : numberToBytes(value))
  const address = (value: string | null) => (value === null ? null : ipToBytes(value))
  const entries: readonly (readonly [key: string, value: RlpItem | null])[] = [
    ['eth', record.forkId && [[record.forkId.hash, bigintToBytes(record.forkId.next)]]],
    ['id', Buffer.from('v4')],
    ['ip', address(record.ip)],
    ['ip6', address(record.ip6)],
    ['secp256k1', compressKey(await nodeKey.publicKey())],
    ['tcp', port(record.tcpPort)],
    ['tcp6', port(record.tcp6Port)],
    ['udp', port(record.udpPort)],
    ['udp6', port(record.udp6Port)],
  ]
  const content: RlpItem[] = [bigintToBytes(record.sequence)]
  for (const [key, value] of entries) if (value !== null) content.push(Buffer.from(key), value)
  const signature = await nodeKey.sign(keccak(encodeRlp(content)))
  return encodeRlp([signature.subarray(0, SIGNATURE_BYTES), ...content])
}

/** Throws INVALID_NODE_RECORD unless the record is well formed and signed by the key in it. */
export function decodeRecord(encoded: Uint8Array, parts: RecordParts): NodeRecord {
  const [signature, ...content] = decodeItems(encoded)
  const [sequence, ...pairs] = content
  if (!(signature instanceof Uint8Array) || signature.length !== SIGNATURE_BYTES)
    throw invalid('no signature')
  if (!(sequence instanceof Uint8Array) || sequence.length > 8) throw invalid('no sequence number')
  const entries = decodeEntries(pairs)
  const text = (key: string) => entries.get(key)
  const scheme = text('id')
  if (!(scheme instanceof Uint8Array) || Buffer.from(scheme).toString() !== 'v4')
    throw invalid('another scheme')
  const key = text('secp256k1')
  if (!(key instanceof Uint8Array)) throw invalid('no key')
  return {
    sequence: bytesToBigint(sequence),
    id: formatDigits(signer(key, parts.keccak(encodeRlp(content)), signature, parts.recover)),
    ip: addressIn(text('ip'), 4),
    tcpPort: portIn(text('tcp')),
    udpPort: portIn(text('udp')),
    ip6: addressIn(text('ip6'), 16),
    tcp6Port: portIn(text('tcp6')),
    udp6Port: portIn(text('udp6')),
    forkId: forkIdIn(text('eth')),
  }
}

/** Formats a record as `enr:` and base64url. */
export function formatRecord(encoded: Uint8Array): string {
  return `enr:${Buffer.from(encoded).toString('base64url')}`
}

function decodeItems(encoded: Uint8Array): readonly RlpItem[] {
  try {
    const item = decodeRlp(encoded, LIMITS)
    if (!(item instanceof Uint8Array)) return item
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause))
  }
  throw invalid('no list')
}

/** Keys are unique and sorted, so each record has one encoding. */
function decodeEntries(pairs: readonly RlpItem[]): ReadonlyMap<string, RlpItem> {
  const entries = new Map<string, RlpItem>()
  let last: Uint8Array | undefined
  for (let at = 0; at < pairs.length; at += 2) {
    const key = pairs[at]
    const value = pairs[at + 1]
    if (!(key instanceof Uint8Array) || value === undefined) throw invalid('a key without a value')
    if (last !== undefined && compareBytes(last, key) >= 0) throw invalid('keys out of order')
    last = key
    entries.set(Buffer.from(key).toString('latin1'), value)
  }
  return entries
}

/** Finds which of the two candidate keys signed; recovering it also decompresses it. */
function signer(key: Uint8Array, digest: Uint8Array, signature: Uint8Array, recover: Recover): Uint8Array {
  for (const parity of [0, 1]) {
    try {
      const candidate = recover(digest, concatBytes(signature, Uint8Array.of(parity)))
      if (equalBytes(compressKey(candidate), key)) return candidate
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    }
  }
  throw invalid('a signature by another key')
}

/** A public key of 64 bytes as its first coordinate and the parity of the second. */
export function compressKey(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(2 + (publicKey[63]! & 1)), publicKey.subarray(0, 32))
}

function addressIn(item: RlpItem | undefined, bytes: number): string | null {
  if (item === undefined) return null
  if (!(item instanceof Uint8Array) || item.length !== bytes) throw invalid('an address of the wrong length')
  return ipFromBytes(item)
}

function portIn(item: RlpItem | undefined): number | null {
  if (item === undefined) return null
  if (!(item instanceof Uint8Array) || item.length > 2) throw invalid('a port of the wrong length')
  const port = Number(bytesToBigint(item))
  return port > 0 && port <= MAX_PORT ? port : null
}

/** The fork id is the first item; later items are reserved. */
function forkIdIn(item: RlpItem | undefined): ForkId | null {
  if (item === undefined || item instanceof Uint8Array) return null
  const [pair] = item
  if (pair === undefined || pair instanceof Uint8Array) return null
  const [hash, next] = pair
  if (!(hash instanceof Uint8Array) || hash.length !== FORK_HASH_BYTES) return null
  if (!(next instanceof Uint8Array) || next.length > 8) return null
  return { hash: hash.slice(), next: bytesToBigint(next) }
}

function invalid(what: string) {
  return p2pFault('INVALID_NODE_RECORD', { sentence: `A node record is not valid: ${what}.` })
}

/** The messages of the p2p capability: HELLO, DISCONNECT, PING, PONG. */
import { DISCONNECT_REASONS, type DisconnectReason, disconnectReason } from '#p2p/disconnect.ts'
import { p2pFault } from '#p2p/faults.ts'
import { numberToBytes } from '#types/bytes.ts'
import { PUBLIC_KEY_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'

export const HELLO = 0x00
export const DISCONNECT = 0x01
export const PING = 0x02
export const PONG = 0x03
/** Lower codes belong to the p2p capability. */
export const FIRST_PROTOCOL_CODE = 0x10

/** PING and PONG contain an empty list. */
export const EMPTY_BODY = Uint8Array.of(0xc0)

/** The first version with compression. */
export const P2P_VERSION = 5
export const HELLO_MAX_BYTES = 2048
/** Maximum size of DISCONNECT, PING and PONG, which have a few bytes. */
export const CONTROL_MAX_BYTES = 1024
const HELLO_LIMITS = { maxDepth: 16, maxItems: 256, maxBytes: HELLO_MAX_BYTES }
const CONTROL_LIMITS = { maxDepth: 16, maxItems: 16, maxBytes: CONTROL_MAX_BYTES }
const NAME_MAX_BYTES = 32
const MAX_PORT = 65_535

export interface Capability {
  readonly name: string
  readonly version: number
}

export interface Hello {
  readonly p2pVersion: number
  /** Printable ASCII; other characters are replaced, since it appears in logs. */
  readonly clientId: string
  readonly capabilities: readonly Capability[]
  /** 0 if the peer accepts no connections. */
  readonly listenPort: number
  /** The claimed node id, 64 bytes; the handshake proves it. */
  readonly publicKey: Uint8Array
}

export function encodeHello(hello: Hello): Uint8Array {
  return encodeRlp([
    numberToBytes(hello.p2pVersion),
    Buffer.from(hello.clientId),
    hello.capabilities.map(({ name, version }) => [Buffer.from(name), numberToBytes(version)]),
    numberToBytes(hello.listenPort),
    hello.publicKey,
  ])
}

/** Items after the fifth are reserved for later versions. */
export function decodeHello(data: Uint8Array): Hello {
  const list = decodeList(data, 'HELLO', HELLO_LIMITS)
  const [version, clientId, capabilities, port, publicKey] = list
  if (!(clientId instanceof Uint8Array) || !Array.isArray(capabilities)) throw invalid('HELLO', 'lacks items')
  if (!(publicKey instanceof Uint8Array) || publicKey.length !== PUBLIC_KEY_BYTES) {
    throw invalid('HELLO', 'has no node id of 64 bytes')
  }
  return {
    p2pVersion: decodeNumber(version, 2 ** 32 - 1),
    clientId: printable(clientId),
    capabilities: (capabilities as readonly RlpItem[]).map(decodeCapability),
    listenPort: decodeNumber(port, MAX_PORT),
    publicKey: publicKey.slice(),
  }
}

function decodeCapability(item: RlpItem): Capability {
  if (item instanceof Uint8Array) throw invalid('HELLO', 'has a capability that is not a list')
  const [name, version] = item
  if (!(name instanceof Uint8Array) || name.length > NAME_MAX_BYTES) {
    throw invalid('HELLO', 'has a capability without a name')
  }
  return { name: printable(name), version: decodeNumber(version, 2 ** 32 - 1) }
}

/** Besu encodes code 0 as a byte, and no code as the empty string. */
export function encodeDisconnect(reason: DisconnectReason): Uint8Array {
  const { code } = DISCONNECT_REASONS[reason]
  return encodeRlp([code === null ? new Uint8Array(0) : Uint8Array.of(code)])
}

/** Accepts a list with a code or a bare code. A malformed message ends the connection all the same. */
export function decodeDisconnect(data: Uint8Array): DisconnectReason {
  try {
    const item = decodeRlp(data, CONTROL_LIMITS)
    const code = item instanceof Uint8Array ? item : item[0]
    if (code instanceof Uint8Array && code.length === 1) return disconnectReason(code[0]!)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
  return 'unknown'
}

function decodeList(data: Uint8Array, name: string, limits: typeof HELLO_LIMITS): readonly RlpItem[] {
  let item: RlpItem
  try {
    item = decodeRlp(data, limits)
  } catch (cause) {
    throw p2pFault(
      'INVALID_WIRE_MESSAGE',
      { sentence: `${name} of the peer is not valid RLP: ${cause instanceof Error ? cause.message : cause}` },
      { cause },
    )
  }
  if (item instanceof Uint8Array) throw invalid(name, 'is not a list')
  return item
}

function decodeNumber(item: RlpItem | undefined, max: number): number {
  if (!(item instanceof Uint8Array) || item.length > 4) throw invalid('HELLO', 'lacks a number')
  let value = 0
  for (const byte of item) value = value * 256 + byte
  if (value > max) throw invalid('HELLO', `has a number above ${max}`)
  return value
}

function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '?')
}

function invalid(name: string, what: string) {
  return p2pFault('INVALID_WIRE_MESSAGE', { sentence: `${name} of the peer ${what}.` })
}

/** Disconnect reasons: their codes on the wire, and the reason for each fault of ours. */
import type { PlatformFaultKind } from '#platform/faults.ts'
import { AssertionFailure } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import type { P2pFaultKind } from './faults.ts'

interface DisconnectRow {
  readonly code: number | null
  readonly name: string
  readonly sentence: string
}

/** Codes, metric names and sentences. Like Besu, this node gives a peer that is not permitted no reason (`unknown`). */
export const DISCONNECT_REASONS = {
  requested: {
    code: 0x00,
    name: 'REQUESTED',
    sentence: 'it was asked to, or the connection is no longer permitted',
  },
  tcpError: { code: 0x01, name: 'TCP_SUBSYSTEM_ERROR', sentence: 'the connection failed' },
  breachOfProtocol: {
    code: 0x02,
    name: 'BREACH_OF_PROTOCOL',
    sentence: 'a message broke the rules of its protocol',
  },
  uselessPeer: {
    code: 0x03,
    name: 'USELESS_PEER',
    sentence: 'the two have no protocol in common, or one is of no use to the other',
  },
  tooManyPeers: { code: 0x04, name: 'TOO_MANY_PEERS', sentence: 'it has as many peers as it may have' },
  alreadyConnected: { code: 0x05, name: 'ALREADY_CONNECTED', sentence: 'the two are connected already' },
  incompatibleVersion: {
    code: 0x06,
    name: 'INCOMPATIBLE_P2P_PROTOCOL_VERSION',
    sentence: 'the versions of the p2p protocol differ',
  },
  nullIdentity: { code: 0x07, name: 'NULL_NODE_ID', sentence: 'the identity is missing' },
  quitting: { code: 0x08, name: 'CLIENT_QUITTING', sentence: 'the node stops' },
  unexpectedIdentity: {
    code: 0x09,
    name: 'UNEXPECTED_ID',
    sentence: 'the node has another identity than it claims',
  },
  self: { code: 0x0a, name: 'LOCAL_IDENTITY', sentence: 'a node connected to itself' },
  timeout: { code: 0x0b, name: 'TIMEOUT', sentence: 'nothing was heard in time' },
  invalidReceipt: { code: 0x0f, name: 'INVALID_RECEIPT', sentence: 'receipts did not fit their block' },
  subprotocol: {
    code: 0x10,
    name: 'SUBPROTOCOL_TRIGGERED',
    sentence: 'another network, genesis block or fork',
  },
  unknown: { code: null, name: 'UNKNOWN', sentence: 'no reason was given' },
} as const satisfies Record<string, DisconnectRow>

export type DisconnectReason = keyof typeof DISCONNECT_REASONS

const BY_CODE = new Map<number | null, DisconnectReason>(
  (Object.keys(DISCONNECT_REASONS) as DisconnectReason[]).map((reason) => [
    DISCONNECT_REASONS[reason].code,
    reason,
  ]),
)

/** Undefined codes map to `unknown`. */
export function disconnectReason(code: number | null): DisconnectReason {
  return BY_CODE.get(code) ?? 'unknown'
}

const BY_FAULT: Readonly<Record<P2pFaultKind, DisconnectReason>> = {
  INVALID_HANDSHAKE: 'tcpError',
  INVALID_FRAME: 'breachOfProtocol',
  INVALID_COMPRESSION: 'breachOfProtocol',
  INVALID_WIRE_MESSAGE: 'breachOfProtocol',
  INVALID_DISCOVERY_PACKET: 'breachOfProtocol',
  INVALID_NODE_RECORD: 'breachOfProtocol',
  INVALID_NODE_LIST: 'breachOfProtocol',
}

/** Failures of this node's own threads and deadlines. */
const OURS: ReadonlySet<string> = new Set<PlatformFaultKind>([
  'CANCELLED',
  'CHANNEL_CLOSED',
  'CHANNEL_FULL',
  'DEADLINE_EXCEEDED',
  'THREAD_DIED',
])

/** The reason for an error thrown while handling a message. Our own mistakes are not blamed on the peer. */
export function reasonOfError(error: unknown): DisconnectReason {
  if (!(error instanceof Fault)) return error instanceof AssertionFailure ? 'requested' : 'tcpError'
  if (OURS.has(error.kind)) return 'tcpError'
  return BY_FAULT[error.kind as P2pFaultKind] ?? 'breachOfProtocol'
}

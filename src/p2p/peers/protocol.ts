/** A protocol between peers as a value: its name, its messages and their handlers. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { CodeSpace } from '#p2p/rlpx/multiplexer.ts'
import type { Capability } from '#p2p/rlpx/wire-messages.ts'
import type { Enode } from '#types/enode.ts'

/** Limits checked before a message is decompressed. */
export interface MessageLimit {
  /** Maximum decompressed size. A message that claims more ends the connection. */
  readonly maxBytes: number
  /** Maximum messages per peer. Beyond it, nothing is read from the peer for the rest of the second. */
  readonly perSecond: number
  /** Consecutive seconds above the limit that count as a flood; if undefined, the messages may be load and only wait. */
  readonly floodSeconds?: number
}

export interface PeerProtocol extends CodeSpace {
  /** Returns undefined if no message has this code; sending it breaks the protocol. */
  limitOf(code: number): MessageLimit | undefined
  /** Called when both sides speak the protocol. Throws if it is not ready for the peer, which ends the connection. */
  connect(link: PeerLink): PeerHandlers
}

export interface PeerHandlers {
  /** The handler may keep `data`. A fault ends the connection; too many pending promises pause reading. */
  onMessage(code: number, data: Uint8Array): void | Promise<void>
  /** Facts about the peer in this protocol, for reports. */
  describe?(): PeerFacts
  /** Called when nothing more is received or sent. */
  onClose?(reason: DisconnectReason): void
}

export interface ProtocolReport {
  readonly name: string
  readonly version: number
  readonly facts?: PeerFacts
}

export type PeerFacts = Readonly<Record<string, string | number>>

/** The `urgent` lane is for consensus messages, which overtake all others. */
export type Lane = 'urgent' | 'bulk'

/** A peer as a protocol sees it. */
export interface PeerLink {
  readonly peer: PeerIdentity
  /** Returns false if the queue is full or the connection closed, and nothing was sent. Never waits. */
  send(code: number, data: Uint8Array, lane: Lane): boolean
  /** Resolves when there is room for bulk again or the connection ends. Never rejects. */
  drained(): Promise<void>
  /** Stops reading from the peer for this long. */
  holdBack(ms: number): void
  disconnect(reason: DisconnectReason, sentence: string): void
}

export interface PeerIdentity {
  /** The proven id, the socket address and the port in HELLO. */
  readonly enode: Enode
  readonly publicKey: Uint8Array
  readonly clientId: string
  readonly capabilities: readonly Capability[]
  readonly isInbound: boolean
}

/** A protocol between peers is a value: what it is called, which messages it has, and what becomes of them. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { CodeSpace } from '#p2p/rlpx/multiplexer.ts'
import type { Capability } from '#p2p/rlpx/wire-messages.ts'
import type { Enode } from '#types/enode.ts'

/** What is looked at before a message is unpacked. */
export interface MessageLimit {
  /** Unpacked. A message that claims more ends the connection. */
  readonly maxBytes: number
  /** From one peer. Beyond it nothing is read from the peer until the second is over. */
  readonly perSecond: number
  /** Beyond it for so many seconds in a row, a peer floods, and the connection ends. Undefined: it may be load, and only waits. */
  readonly floodSeconds?: number
}

export interface PeerProtocol extends CodeSpace {
  /** Undefined: no message has this code, and whoever sends it breaks the protocol. */
  limitOf(code: number): MessageLimit | undefined
  /** Both sides speak it. A protocol that is not ready for the peer throws, and the connection ends. */
  connect(link: PeerLink): PeerHandlers
}

export interface PeerHandlers {
  /**
   * Data is the handler's to keep. A fault ends the connection; while promises are pending, nothing more is read from the
   * peer beyond a limit.
   */
  onMessage(code: number, data: Uint8Array): void | Promise<void>
  /** What the peer is known to have in this protocol, for whoever asks about peers. */
  describe?(): PeerFacts
  /** Nothing comes any more, and nothing is sent. */
  onClose?(reason: DisconnectReason): void
}

export interface ProtocolReport {
  readonly name: string
  readonly version: number
  readonly facts?: PeerFacts
}

export type PeerFacts = Readonly<Record<string, string | number>>

/** Urgent: messages of consensus, which overtake whatever waits. */
export type Lane = 'urgent' | 'bulk'

/** One peer as a protocol sees it. */
export interface PeerLink {
  readonly peer: PeerIdentity
  /** False: the queue is full or the connection gone, and nothing was sent. Never waits. */
  send(code: number, data: Uint8Array, lane: Lane): boolean
  /** When there is room for bulk again. Rejects nothing: it also resolves when the connection ends. */
  drained(): Promise<void>
  disconnect(reason: DisconnectReason, sentence: string): void
}

export interface PeerIdentity {
  /** The proven id, the address of the socket, the port of its HELLO. */
  readonly enode: Enode
  readonly publicKey: Uint8Array
  readonly clientId: string
  readonly capabilities: readonly Capability[]
  readonly isInbound: boolean
}

/**
 * The room of peers: RLPx, discovery, connections and who is connected. It carries messages of protocols, each of which
 * is a value that somebody above hands in, and knows no block. `node` starts it; it imports types, platform and config
 * only, so that it runs on whichever thread it is put.
 */
import { defineFaults } from '#types/fault.ts'

/** What can be wrong with what a peer sends, or with reaching one. `disconnect.ts` says what each means to the peer. */
export type P2pFaultKind =
  /** Bytes before the session keys are agreed. One kind and one sentence: details would tell an attacker. */
  | 'INVALID_HANDSHAKE'
  | 'INVALID_FRAME'
  | 'INVALID_COMPRESSION'
  /** A message of the p2p capability, or one that no protocol has. */
  | 'INVALID_WIRE_MESSAGE'
  | 'INVALID_DISCOVERY_PACKET'
  | 'INVALID_NODE_RECORD'

export const p2pFault = defineFaults<P2pFaultKind>()

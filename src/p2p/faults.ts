/**
 * The room `p2p` owns RLPx, discovery and connections. A protocol is a value that a room above provides; `p2p` carries its
 * messages and knows no block. `node` starts the room. It imports only types, platform and config, so it runs on any thread.
 */
import { defineFaults } from '#types/fault.ts'

/** Problems with messages of a peer or with reaching one. `disconnect.ts` maps each to a disconnect reason. */
export type P2pFaultKind =
  /** Bytes before the session keys are agreed. One kind and one sentence, because details would help an attacker. */
  | 'INVALID_HANDSHAKE'
  | 'INVALID_FRAME'
  | 'INVALID_COMPRESSION'
  /** A message of the p2p capability, or one with a code that no protocol has. */
  | 'INVALID_WIRE_MESSAGE'
  | 'INVALID_DISCOVERY_PACKET'
  | 'INVALID_NODE_RECORD'
  /** A node list in DNS. */
  | 'INVALID_NODE_LIST'

export const p2pFault = defineFaults<P2pFaultKind>()

import { defineFaults } from '#types/fault.ts'

/** What can end the work of an engine other than a bug. Edges map every kind. */
export type EvmFaultKind =
  /** Its cancel cell was set: a deadline, a client that left, a superseded proposal. */
  | 'ENGINE_CANCELLED'
  /** A session that is brief was given too much. */
  | 'ENGINE_EXHAUSTED'
  /** CAIRN_ENGINE names one that does not exist or cannot be loaded here. */
  | 'ENGINE_UNAVAILABLE'
  /** The schedule asks for rules that no engine has. */
  | 'UNSUPPORTED_FORK'

export const evmFault = defineFaults<EvmFaultKind>()

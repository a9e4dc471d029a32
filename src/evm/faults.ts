import { defineFaults } from '#types/fault.ts'

/** Failures that end the work of an engine, other than bugs. Callers at the edge map every kind. */
export type EvmFaultKind =
  /** The cancel cell was set: a deadline, a client that left, a superseded proposal. */
  | 'ENGINE_CANCELLED'
  /** A brief session exceeded its limit. */
  | 'ENGINE_EXHAUSTED'
  /** CAIRN_ENGINE names an engine that does not exist or does not load. */
  | 'ENGINE_UNAVAILABLE'
  /** The schedule requires rules that no engine implements. */
  | 'UNSUPPORTED_FORK'

export const evmFault = defineFaults<EvmFaultKind>()

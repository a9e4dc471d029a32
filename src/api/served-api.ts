import type { EvmFaultKind } from '#evm/faults.ts'
import type { ForeignFaults } from '#jsonrpc/errors.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import { CONTRACTS } from './contracts.ts'
import { runSettled } from './engine/run-settled.ts'
import { ABSENT_METHODS } from './registry/besu-methods.ts'
import { ENGINE_THREAD_RESOURCES } from './resources.ts'

const FOREIGN_FAULTS: ForeignFaults = {
  // The cell is set when the client has left or the time is up.
  ['ENGINE_CANCELLED' satisfies EvmFaultKind]: 'TIMEOUT_ERROR',
  STATE_UNAVAILABLE: 'WORLD_STATE_UNAVAILABLE',
  SEGMENT_DAMAGED: 'HISTORY_DAMAGED',
  ARCHIVE_UNAVAILABLE: 'HISTORY_ARCHIVE_UNAVAILABLE',
  HISTORY_UNAVAILABLE: 'PRUNED_HISTORY_UNAVAILABLE',
}

export const API: ServedApi = {
  contracts: CONTRACTS,
  engineResources: ENGINE_THREAD_RESOURCES,
  faults: FOREIGN_FAULTS,
  absentMethods: ABSENT_METHODS,
  // As in Besu.
  alwaysOverWebSocket: ['eth_subscribe', 'eth_unsubscribe'],
  runOnEngine: runSettled,
}

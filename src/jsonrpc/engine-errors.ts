import type { ErrorRow } from './error-row.ts'

/** The errors of the Engine API alone. */
export const ENGINE_ERRORS = {
  INVALID_ENGINE_FORKCHOICE_UPDATED_PARAMS: {
    code: -32602,
    message: 'Invalid engine forkchoice updated params',
  },
  INVALID_ENGINE_FORKCHOICE_UPDATED_PAYLOAD_ATTRIBUTES: {
    code: -32602,
    message: 'Invalid engine payload attributes parameter',
  },
  INVALID_ENGINE_NEW_PAYLOAD_PARAMS: { code: -32602, message: 'Invalid engine payload parameter' },
  INVALID_EXECUTION_REQUESTS_PARAMS: { code: -32602, message: 'Invalid execution requests params' },
  INVALID_PARENT_BEACON_BLOCK_ROOT_PARAMS: {
    code: -32602,
    message: 'Invalid parent beacon block root (missing or incorrect)',
  },
  INVALID_PAYLOAD_ID_PARAMS: { code: -32602, message: 'Invalid payload id params' },
  INVALID_VERSIONED_HASHES_PARAMS: { code: -32602, message: 'Invalid versioned hashes params' },
  INVALID_WITHDRAWALS_PARAMS: { code: -32602, message: 'Invalid withdrawals' },
  UNKNOWN_PAYLOAD: {
    code: -38001,
    message: 'Unknown payload',
    cause: 'The id is wrong, too old, or the head changed before a block could be built.',
    remedy: 'Consensus clients request a new block by `engine_forkchoiceUpdated`.',
  },
  INVALID_FORKCHOICE_STATE: {
    code: -38002,
    message: 'Invalid forkchoice state',
    cause: 'The safe or finalized block is not known, or is not an ancestor of the head.',
    remedy: 'Check that the consensus client and the node are on the same network.',
  },
  INVALID_PAYLOAD_ATTRIBUTES: {
    code: -38003,
    message: 'Invalid payload attributes',
    cause: 'The time of the block to build is not after the head, or members do not fit the version.',
    remedy: 'Check the clocks of the consensus client and the node.',
  },
  INVALID_RANGE_REQUEST_TOO_LARGE: { code: -38004, message: 'Too large request', isClear: true },
  TOO_DEEP_REORG: {
    code: -38006,
    message: 'Too deep reorg',
    cause: 'The chosen branch leaves the chain before the oldest state that is kept.',
    remedy: 'Keep more states with `--bonsai-historical-block-limit`, or sync the node again.',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>

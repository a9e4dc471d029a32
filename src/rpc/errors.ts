import type { ConsensusFaultKind } from '#consensus/faults.ts'
import type { EvmFaultKind } from '#evm/faults.ts'
import type { PlatformFaultKind } from '#platform/faults.ts'
import { Fault } from '#types/fault.ts'
import { RPC_ERRORS } from './error-table.ts'

export type RpcErrorKind = keyof typeof RPC_ERRORS

/** The `error` member of an answer. `data` is absent unless the error has some. */
export interface RpcError {
  readonly kind: RpcErrorKind
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcErrorDetail {
  /** Travels to the client as it is, e.g. the bytes of a revert. */
  readonly data?: unknown
  /** Stands in parentheses behind the message; clients see it, so no internals. */
  readonly reason?: string
  /** Stands in the place of the message, where Besu has many for one code. */
  readonly message?: string
  /** Stands in the place of the code: methods of plugins have codes of their own. */
  readonly code?: number
}

/** For methods: throws out of `run` what the client shall read. */
export function rpcFault(kind: RpcErrorKind, detail: RpcErrorDetail = {}): Fault<RpcErrorKind> {
  return new Fault(kind, { sentence: describe(kind, detail), ...detail })
}

/** How faults of other rooms look to a client. A new kind does not compile until it has its row here. */
const PLATFORM_FAULTS: Readonly<Record<PlatformFaultKind, RpcErrorKind>> = {
  ADDRESS_IN_USE: 'INTERNAL_ERROR',
  ADDRESS_NOT_AVAILABLE: 'INTERNAL_ERROR',
  ADDRESS_NOT_PERMITTED: 'INTERNAL_ERROR',
  ARGUMENTS_TOO_LARGE: 'LIMIT_EXCEEDED',
  CANCELLED: 'TIMEOUT_ERROR',
  CHANNEL_CLOSED: 'INTERNAL_ERROR',
  CHANNEL_FULL: 'LIMIT_EXCEEDED',
  DEADLINE_EXCEEDED: 'TIMEOUT_ERROR',
  DISK_FULL: 'INTERNAL_ERROR',
  FILE_BUSY: 'INTERNAL_ERROR',
  FILE_EXISTS: 'INTERNAL_ERROR',
  FILE_FAILED: 'INTERNAL_ERROR',
  FILE_IS_DIRECTORY: 'INTERNAL_ERROR',
  FILE_NO_PERMISSION: 'INTERNAL_ERROR',
  FILE_NOT_DIRECTORY: 'INTERNAL_ERROR',
  FILE_NOT_REGULAR: 'INTERNAL_ERROR',
  FILE_NOT_FOUND: 'INTERNAL_ERROR',
  FILE_NOT_TEXT: 'INTERNAL_ERROR',
  FILE_TOO_LARGE: 'INTERNAL_ERROR',
  HTTP_FAILED: 'INTERNAL_ERROR',
  KEYSTORE_REFUSED: 'INTERNAL_ERROR',
  LISTEN_FAILED: 'INTERNAL_ERROR',
  QUEUE_CLOSED: 'INTERNAL_ERROR',
  SERVICE_START_FAILED: 'INTERNAL_ERROR',
  THREAD_DIED: 'INTERNAL_ERROR',
  THREAD_START_FAILED: 'INTERNAL_ERROR',
}

const EVM_FAULTS: Readonly<Record<EvmFaultKind, RpcErrorKind>> = {
  // Its cell is set when the client left or the time is up.
  ENGINE_CANCELLED: 'TIMEOUT_ERROR',
  // Caught where it is tried.
  ENGINE_EXHAUSTED: 'INTERNAL_ERROR',
  ENGINE_UNAVAILABLE: 'INTERNAL_ERROR',
  UNSUPPORTED_FORK: 'INTERNAL_ERROR',
}

const CONSENSUS_FAULTS: Readonly<Record<ConsensusFaultKind, RpcErrorKind>> = {
  INVALID_BFT_MESSAGE: 'INTERNAL_ERROR',
  // As in Besu; the log says what the contract did.
  VALIDATOR_CONTRACT_FAILED: 'INTERNAL_ERROR',
  FOREIGN_VOTES_FILE: 'INTERNAL_ERROR',
  OWN_BLOCK_REFUSED: 'INTERNAL_ERROR',
}

/** Of the chain, and of the store, which this room does not see but through it: what else they throw is internal. */
const CHAIN_FAULTS: Readonly<Record<string, RpcErrorKind>> = {
  STATE_UNAVAILABLE: 'WORLD_STATE_UNAVAILABLE',
  HISTORY_UNAVAILABLE: 'PRUNED_HISTORY_UNAVAILABLE',
}

const FOREIGN_FAULTS: ReadonlyMap<string, RpcErrorKind> = new Map(
  Object.entries({ ...PLATFORM_FAULTS, ...EVM_FAULTS, ...CONSENSUS_FAULTS, ...CHAIN_FAULTS }),
)

/**
 * The one place where what was thrown becomes what a client reads. Whatever nobody foresaw is our bug: the
 * client learns no more than that, and `onInternal` gets the whole story for the log.
 */
export function translateError(thrown: unknown, onInternal: (thrown: unknown) => void): RpcError {
  if (thrown instanceof Fault && isRpcErrorKind(thrown.kind)) {
    if (thrown.kind === 'INTERNAL_ERROR') onInternal(thrown)
    return rpcError(thrown.kind, thrown.data as RpcErrorDetail)
  }
  const kind = foreignKind(thrown)
  if (kind === 'INTERNAL_ERROR') onInternal(thrown)
  return rpcError(kind)
}

export function rpcError(kind: RpcErrorKind, detail: RpcErrorDetail = {}): RpcError {
  const { data } = detail
  const error = { kind, code: detail.code ?? RPC_ERRORS[kind].code, message: describe(kind, detail) }
  return data === undefined ? error : { ...error, data }
}

function foreignKind(thrown: unknown): RpcErrorKind {
  if (thrown instanceof Fault) return FOREIGN_FAULTS.get(thrown.kind) ?? 'INTERNAL_ERROR'
  // What AbortSignal.reason holds when nobody gave a reason.
  const aborted = thrown instanceof DOMException && /^(Abort|Timeout)Error$/.test(thrown.name)
  return aborted ? 'TIMEOUT_ERROR' : 'INTERNAL_ERROR'
}

function isRpcErrorKind(kind: string): kind is RpcErrorKind {
  return Object.hasOwn(RPC_ERRORS, kind)
}

function describe(
  kind: RpcErrorKind,
  { reason, message = RPC_ERRORS[kind].message }: RpcErrorDetail,
): string {
  return reason === undefined ? message : `${message} (${reason})`
}

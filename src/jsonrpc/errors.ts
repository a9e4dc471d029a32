import type { PlatformFaultKind } from '#platform/faults.ts'
import { Fault } from '#types/fault.ts'
import { RPC_ERRORS } from './error-table.ts'

export type RpcErrorKind = keyof typeof RPC_ERRORS

export interface RpcError {
  readonly kind: RpcErrorKind
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcErrorDetail {
  /** Sent unchanged, for example the bytes of a revert. */
  readonly data?: unknown
  /** Appended to the message in parentheses; clients see it, so it must not reveal internals. */
  readonly reason?: string
  /** Replaces the message where Besu has several for one code. */
  readonly message?: string
  /** Replaces the code: plugin methods have their own. */
  readonly code?: number
}

/** The error that `run` of a method throws for the client. */
export function rpcFault(kind: RpcErrorKind, detail: RpcErrorDetail = {}): Fault<RpcErrorKind> {
  return new Fault(kind, { sentence: describe(kind, detail), ...detail })
}

/** Faults of `platform` that are not internal errors. */
const PLATFORM_FAULTS: ForeignFaults & Partial<Record<PlatformFaultKind, RpcErrorKind>> = {
  ARGUMENTS_TOO_LARGE: 'LIMIT_EXCEEDED',
  CANCELLED: 'TIMEOUT_ERROR',
  CHANNEL_FULL: 'LIMIT_EXCEEDED',
  DEADLINE_EXCEEDED: 'TIMEOUT_ERROR',
  READS_TOO_MUCH: 'LIMIT_EXCEEDED',
  STARTING: 'NODE_STARTING',
}

/** The errors for fault kinds; unlisted kinds are internal errors. */
export type ForeignFaults = Readonly<Record<string, RpcErrorKind>>

/** Turns a thrown value into an error for the client. `onInternal` logs bugs and damage. */
export function translateError(
  thrown: unknown,
  foreign: ForeignFaults,
  onInternal: (thrown: unknown) => void,
): RpcError {
  if (thrown instanceof Fault && isRpcErrorKind(thrown.kind)) {
    if (thrown.kind === 'INTERNAL_ERROR') onInternal(thrown)
    return rpcError(thrown.kind, thrown.data as RpcErrorDetail)
  }
  const kind = foreignKind(thrown, foreign)
  if (kind === 'INTERNAL_ERROR' || kind === 'HISTORY_DAMAGED') onInternal(thrown)
  return rpcError(kind, foreignDetail(thrown))
}

/** A fault of another room may have a sentence for clients, which names no path. */
function foreignDetail(thrown: unknown): RpcErrorDetail {
  const reason = thrown instanceof Fault ? thrown.data.forClients : undefined
  return typeof reason === 'string' ? { reason } : {}
}

export function rpcError(kind: RpcErrorKind, detail: RpcErrorDetail = {}): RpcError {
  const { data } = detail
  const error = { kind, code: detail.code ?? RPC_ERRORS[kind].code, message: describe(kind, detail) }
  return data === undefined ? error : { ...error, data }
}

function foreignKind(thrown: unknown, foreign: ForeignFaults): RpcErrorKind {
  if (thrown instanceof Fault) {
    const { kind } = thrown
    const table = Object.hasOwn(foreign, kind) ? foreign : PLATFORM_FAULTS
    return Object.hasOwn(table, kind) ? table[kind]! : 'INTERNAL_ERROR'
  }
  // The default reason of an AbortSignal.
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

import { Fault, type FaultData } from '#types/fault.ts'

/** What can go wrong with files, ports, time and threads. Edges (cli, rpc) map every kind to what a person reads. */
export type PlatformFaultKind =
  | 'ADDRESS_IN_USE'
  | 'ADDRESS_NOT_AVAILABLE'
  | 'ADDRESS_NOT_PERMITTED'
  | 'ARGUMENTS_TOO_LARGE'
  | 'CANCELLED'
  | 'CHANNEL_CLOSED'
  | 'CHANNEL_FULL'
  | 'DEADLINE_EXCEEDED'
  | 'DISK_FULL'
  | 'FILE_BUSY'
  | 'FILE_EXISTS'
  | 'FILE_FAILED'
  | 'FILE_IS_DIRECTORY'
  | 'FILE_NO_PERMISSION'
  | 'FILE_NOT_DIRECTORY'
  | 'FILE_NOT_REGULAR'
  | 'FILE_NOT_FOUND'
  | 'FILE_NOT_TEXT'
  | 'FILE_TOO_LARGE'
  | 'HTTP_FAILED'
  | 'KEYSTORE_REFUSED'
  | 'LISTEN_FAILED'
  | 'QUEUE_CLOSED'
  | 'SERVICE_START_FAILED'
  | 'THREAD_DIED'
  | 'THREAD_START_FAILED'

export function platformFault(
  kind: PlatformFaultKind,
  data: FaultData,
  options?: { cause?: unknown },
): Fault<PlatformFaultKind> {
  return new Fault(kind, data, options)
}

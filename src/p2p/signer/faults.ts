import { Fault } from '#types/fault.ts'

export type SignerFaultKind =
  /** Nobody answers, or not in time: it may come back. */
  | 'SIGNER_AWAY'
  /** It answers what cannot be used: somebody has to do something. */
  | 'SIGNER_REFUSED'

export function signerFault(
  kind: SignerFaultKind,
  sentence: string,
  options?: { cause?: unknown },
): Fault<SignerFaultKind> {
  return new Fault(kind, { sentence }, options)
}

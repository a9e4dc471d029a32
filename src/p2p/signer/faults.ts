import { defineFaults } from '#types/fault.ts'

export type SignerFaultKind =
  /** Nobody answers, or not in time: it may come back. */
  | 'SIGNER_AWAY'
  /** It answers what cannot be used: somebody has to do something. */
  | 'SIGNER_REFUSED'

export const signerFault = defineFaults<SignerFaultKind>()

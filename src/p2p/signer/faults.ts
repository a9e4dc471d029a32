import { defineFaults } from '#types/fault.ts'

export type SignerFaultKind =
  /** The signer does not answer in time; it may come back. */
  | 'SIGNER_AWAY'
  /** The answer is unusable, and the operator must act. */
  | 'SIGNER_REFUSED'

export const signerFault = defineFaults<SignerFaultKind>()

/** Reasons for a failed call, shared by all engines. The order is the code on the wire: append only. */
export const EXECUTION_ERRORS = [
  'none',
  /** REVERT: gas is left and the output is the reason. */
  'reverted',
  'outOfGas',
  'stackUnderflow',
  'stackOverflow',
  'invalidJump',
  'invalidOpcode',
  /** A state change inside STATICCALL. */
  'staticViolation',
  /** The call was not entered: the caller lacks the value. */
  'insufficientBalance',
  /** The call was not entered: 1024 are open. */
  'callTooDeep',
  /** The account to create exists. */
  'createCollision',
  /** The deployed code is larger than allowed. */
  'codeTooLarge',
  /** The deployed code begins with 0xef (EIP-3541). */
  'invalidCode',
  /** The init code is larger than allowed. */
  'initCodeTooLarge',
  /** The creator has the maximum nonce (EIP-2681). */
  'nonceOverflow',
  /** Frontier only: the gas did not pay for the code, and the creation succeeds without it. */
  'codeNotPaid',
  /** A precompile refused its input. */
  'precompileFailed',
  /** RETURNDATACOPY beyond the end, or another read out of range. */
  'outOfRange',
  'other',
] as const

export type ExecutionError = (typeof EXECUTION_ERRORS)[number]

const CODES = new Map(EXECUTION_ERRORS.map((error, code) => [error, code]))

export function executionErrorCode(error: ExecutionError): number {
  return CODES.get(error)!
}

const REFUSED: ReadonlySet<ExecutionError> = new Set(['insufficientBalance', 'callTooDeep', 'nonceOverflow'])

/** Whether the frame never began; its caller keeps the gas and value. */
export function isRefused(error: ExecutionError): boolean {
  return REFUSED.has(error)
}

/** Why a call failed, in words that every engine shares. The order is the code on the wire: append only. */
export const EXECUTION_ERRORS = [
  'none',
  /** REVERT: gas is left and the output is the reason. */
  'reverted',
  'outOfGas',
  'stackUnderflow',
  'stackOverflow',
  'invalidJump',
  'invalidOpcode',
  /** A change of state inside STATICCALL. */
  'staticViolation',
  /** The call was not entered: the caller lacks the value. */
  'insufficientBalance',
  /** The call was not entered: 1024 are open. */
  'callTooDeep',
  /** The account to be created exists. */
  'createCollision',
  /** The deployed code is larger than allowed. */
  'codeTooLarge',
  /** The deployed code begins with 0xef (EIP-3541). */
  'invalidCode',
  /** The init code is larger than allowed. */
  'initCodeTooLarge',
  /** The nonce of the creator cannot rise any more (EIP-2681). */
  'nonceOverflow',
  /** Frontier only: the code was not paid for, and the creation succeeds without it. */
  'codeNotPaid',
  /** A precompile refused its input. */
  'precompileFailed',
  /** RETURNDATACOPY beyond the end, or another read that is out of range. */
  'outOfRange',
  'other',
] as const

export type ExecutionError = (typeof EXECUTION_ERRORS)[number]

const CODES = new Map(EXECUTION_ERRORS.map((error, code) => [error, code]))

export function executionErrorCode(error: ExecutionError): number {
  return CODES.get(error)!
}

const REFUSED: ReadonlySet<ExecutionError> = new Set(['insufficientBalance', 'callTooDeep', 'nonceOverflow'])

/** Whether the frame never began: its caller goes on with what it would have handed over. */
export function isRefused(error: ExecutionError): boolean {
  return REFUSED.has(error)
}

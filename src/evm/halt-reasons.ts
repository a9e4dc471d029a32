import type { ExecutionError } from './execution-error.ts'

/** Besu's names for the reasons of failure; undefined for success. */
export const HALT_REASONS: Readonly<Record<ExecutionError, string | undefined>> = {
  none: undefined,
  codeNotPaid: undefined,
  reverted: 'Reverted',
  outOfGas: 'Out of gas',
  stackUnderflow: 'Stack underflow',
  stackOverflow: 'Out of stack',
  invalidJump: 'Bad jump destination',
  invalidOpcode: 'Bad instruction',
  staticViolation: 'Illegal state change',
  insufficientBalance: 'Out of gas',
  callTooDeep: 'Out of stack',
  createCollision: 'Illegal state change',
  codeTooLarge: 'Code is too large',
  invalidCode: 'Code is invalid',
  initCodeTooLarge: 'Code is too large',
  nonceOverflow: 'Illegal state change',
  precompileFailed: 'Precompile error',
  outOfRange: 'Out of bounds',
  other: 'Bad instruction',
}

import { EVMError } from '@ethereumjs/evm'
import type { ExecutionError } from '#evm/execution-error.ts'

const E = EVMError.errorMessages

const ERRORS = new Map<string, ExecutionError>([
  [E.REVERT, 'reverted'],
  [E.OUT_OF_GAS, 'outOfGas'],
  [E.STACK_UNDERFLOW, 'stackUnderflow'],
  [E.STACK_OVERFLOW, 'stackOverflow'],
  [E.INVALID_JUMP, 'invalidJump'],
  [E.INVALID_OPCODE, 'invalidOpcode'],
  [E.STATIC_STATE_CHANGE, 'staticViolation'],
  [E.INSUFFICIENT_BALANCE, 'insufficientBalance'],
  [E.CREATE_COLLISION, 'createCollision'],
  [E.CODESIZE_EXCEEDS_MAXIMUM, 'codeTooLarge'],
  [E.INVALID_BYTECODE_RESULT, 'invalidCode'],
  [E.INITCODE_SIZE_VIOLATION, 'initCodeTooLarge'],
  [E.CODESTORE_OUT_OF_GAS, 'codeNotPaid'],
  [E.OUT_OF_RANGE, 'outOfRange'],
  [E.INVALID_INPUT_LENGTH, 'precompileFailed'],
  [E.BLS_12_381_POINT_NOT_ON_CURVE, 'precompileFailed'],
  [E.BLS_12_381_INPUT_EMPTY, 'precompileFailed'],
  [E.BLS_12_381_FP_NOT_IN_FIELD, 'precompileFailed'],
  [E.INVALID_COMMITMENT, 'precompileFailed'],
  [E.INVALID_INPUTS, 'precompileFailed'],
  [E.INVALID_PROOF, 'precompileFailed'],
])

/** Translates an error of the library; the position in an invalid jump is dropped. */
export function executionErrorOf(error: EVMError | undefined): ExecutionError {
  if (error === undefined) return 'none'
  return ERRORS.get(error.error) ?? (error.error.startsWith(E.INVALID_JUMP) ? 'invalidJump' : 'other')
}

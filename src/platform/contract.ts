/**
 * What an object on main offers to methods on other threads: a table of operations and news, declared by the room that owns
 * the object. `operation` and `news` make rows between any two threads; the rows below bound what a client can send.
 */
import { type Operation, type OperationOptions, operation } from './port-table.ts'

/** The limit of an operation that names none. Cloning so much takes main a fraction of a millisecond. */
const ARGS_MAX_BYTES = 64 * 1024
/** For operations that take long texts or lists, which main keeps or passes on. */
export const LONG_ARGS_MAX_BYTES = 1024 * 1024

/** An operation that changes nothing the audit log tells of. */
export function question<Args extends readonly unknown[], Result>(
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options })
}

/** An operation whose calls the audit log tells of. Only a method that declares the same subject may call it. */
export function changing<Args extends readonly unknown[], Result>(
  subject: string,
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options, changes: subject })
}

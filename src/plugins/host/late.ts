import { Fault } from '#types/fault.ts'

export function isLate(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'DEADLINE_EXCEEDED'
}

import { Fault } from '#types/fault.ts'

/** The fate of one item of the old node, for people. */
export type Note = readonly [what: string, fate: 'kept' | 'renamed' | 'replaced' | 'ignored', why: string]

/** Continuing would lead to another chain, or to a node with less protection. */
export function migrationRefused(sentence: string): Fault {
  return new Fault('MIGRATION_REFUSED', { sentence })
}

import { Fault } from '#types/fault.ts'

/** What became of one thing of the old node, for people. */
export type Note = readonly [what: string, fate: 'kept' | 'renamed' | 'replaced' | 'ignored', why: string]

/** Going on would end in another chain, or a node that is less protected than it was. */
export function migrationRefused(sentence: string): Fault {
  return new Fault('MIGRATION_REFUSED', { sentence })
}

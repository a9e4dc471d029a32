import { defineFaults, type Fault } from '#types/fault.ts'
import { reportDamage } from './damage.ts'

/** Failures of stored data. The edges (cli, api) map every kind to a message. */
export type StoreFaultKind =
  /** The state of a block is pruned or not known yet. */
  | 'STATE_UNAVAILABLE'
  /** The database belongs to another network, with another block 0. */
  | 'STORE_OTHER_GENESIS'
  | 'STORE_OTHER_NETWORK'
  /** A fork that the stored blocks have passed was moved, added or removed. */
  | 'STORE_OTHER_SCHEDULE'
  | 'STORE_OTHER_FORMAT'
  /** Written by a newer Cairn. */
  | 'STORE_NEWER'
  /** Written by another program. */
  | 'STORE_FOREIGN'
  /** Another process, or another node of this process, has it open. */
  | 'STORE_IN_USE'
  /** Opened for reading, but nothing was ever written. */
  | 'STORE_MISSING'
  /** The target of an import or restore contains a chain. */
  | 'STORE_NOT_EMPTY'
  /** An import of a state or a restore of a backup was not finished. */
  | 'STORE_UNFINISHED'
  /** A backup is damaged or not one. */
  | 'BACKUP_INVALID'
  | 'STORE_CORRUPT'
  /** A segment of old blocks is damaged or missing. The node continues without it. */
  | 'SEGMENT_DAMAGED'
  /** Old blocks are in the history archive, and it does not return them. The node continues without them. */
  | 'ARCHIVE_UNAVAILABLE'
  | 'STORE_FAILED'
  | 'DISK_FULL'
  | 'STORE_CLOSED'

export const storeFault = defineFaults<StoreFaultKind>()

/** Reports bytes that no version of Cairn writes. Stops the node that has the database open. */
export function corruptFault(what: string, options?: { cause?: unknown }): Fault<StoreFaultKind> {
  const sentence = corruptSentence(what)
  reportDamage(sentence)
  return storeFault('STORE_CORRUPT', { sentence }, options)
}

export function corruptSentence(what: string): string {
  return `The database is damaged: ${what}. Remove its directory and import or sync the chain again.`
}

export function missingFault(path: string): Fault<StoreFaultKind> {
  const sentence = `There is no database at ${path}. Check --data-path, or start a node there first.`
  return storeFault('STORE_MISSING', { sentence, path })
}

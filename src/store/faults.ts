import { defineFaults, type Fault } from '#types/fault.ts'
import { tellDamage } from './damage.ts'

/** What can go wrong with what is on disk. Edges (cli, rpc) map every kind to what a person reads. */
export type StoreFaultKind =
  /** The state of a block is not kept (any more), or not known yet. */
  | 'STATE_UNAVAILABLE'
  /** Made for another network: another block 0. */
  | 'STORE_OTHER_GENESIS'
  /** A fork that the stored blocks have already passed was moved, added or removed. */
  | 'STORE_OTHER_SCHEDULE'
  | 'STORE_OTHER_FORMAT'
  /** Written by a newer Cairn. */
  | 'STORE_NEWER'
  /** Of another program. */
  | 'STORE_FOREIGN'
  /** Another process, or another node of this one, has it open. */
  | 'STORE_IN_USE'
  /** Opened for reading where nothing was ever written. */
  | 'STORE_MISSING'
  /** A state from a file is to go where a chain is already. */
  | 'STORE_NOT_EMPTY'
  /** The import of a state, or the restore of a backup, was begun there and did not come to its end. */
  | 'STORE_UNFINISHED'
  /** A backup that is damaged, or none. */
  | 'BACKUP_INVALID'
  | 'STORE_CORRUPT'
  | 'STORE_FAILED'
  | 'DISK_FULL'
  | 'STORE_CLOSED'

export const storeFault = defineFaults<StoreFaultKind>()

/** Bytes on disk that no version of Cairn writes. Ends the node that has the database open. */
export function corruptFault(what: string, options?: { cause?: unknown }): Fault<StoreFaultKind> {
  const sentence = corruptSentence(what)
  tellDamage(sentence)
  return storeFault('STORE_CORRUPT', { sentence }, options)
}

export function corruptSentence(what: string): string {
  return `The database is damaged: ${what}. Remove its directory and import or sync the chain again.`
}

export function missingFault(path: string): Fault<StoreFaultKind> {
  const sentence = `There is no database at ${path}. Check --data-path, or start a node there first.`
  return storeFault('STORE_MISSING', { sentence, path })
}

import { type OwnerOf, question } from '#platform/contract.ts'
import type { SyncProgress } from './catch-up/catch-up.ts'

export const SYNC = {
  /** undefined: there is nobody to catch up with. */
  progress: question<[], SyncProgress | undefined>(),
}

export type LiveSync = OwnerOf<typeof SYNC>

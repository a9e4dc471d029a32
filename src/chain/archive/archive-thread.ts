/** The thread that uploads segments. It has its own event loop, so a slow archive delays no block. */

import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { BOUNDED_YOUNG_GENERATION, defineThread } from '#platform/thread/define-thread.ts'
import type { ArchivePlace } from '#store/archive/archive-place.ts'

export interface ArchiveConfig extends Pick<WriterConfig, 'path' | 'historyBlocks'> {
  readonly place: ArchivePlace
  /** Undefined if all segments stay on this disk. */
  readonly localBytes: number | undefined
}

type Nothing = { readonly requests: Record<never, never> }

export const ARCHIVE_STOP_DEADLINE_MS = 5_000

/** A thread that ended because of a bug must not fill the log. */
export const ARCHIVE = defineThread<{ data: ArchiveConfig; offers: Nothing; asks: Nothing }>({
  name: 'archive',
  entry: import.meta.resolve('#chain/archive/archive-thread-entry.ts'),
  restart: { pausesMs: [1_000, 60_000], settledMs: 600_000 },
  heap: BOUNDED_YOUNG_GENERATION,
  lowPriority: true,
})

/* Entry of the archive thread. */

import { join } from 'node:path'
import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import { systemClock } from '#platform/clock.ts'
import { S3Store } from '#platform/object-store/s3-store.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import { ArchiveKeeper } from '#store/archive/archive-keeper.ts'
import { CACHE_FOLDER } from '#store/archive/archive-reader.ts'
import { SlotCache } from '#store/archive/slot-cache.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { ARCHIVE } from './archive-thread.ts'

/** How often it looks for new segments, which costs one read of a folder. */
const IDLE_MS = 2_000
/** How often it asks the archive whether it answers, so the log says when it does not. */
const PROBE_MS = 60_000
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 300_000
/** No object has this name. */
const PROBE = 'probe'

runReportingThread<typeof ARCHIVE>(async ({ data, log: rootLog, connect }) => {
  const log = rootLog.child('archive')
  connect({ requests: {} })
  const { place, localBytes, path } = data
  new SlotCache(join(path, SEGMENT_FOLDER, CACHE_FOLDER), place.cacheBytes, () => undefined).trim()
  const store = await openStoreReader(data)
  const objects = new S3Store(place, systemClock)
  const stopped = new AbortController()
  const keeper = new ArchiveKeeper({
    store,
    objects,
    clock: systemClock,
    log,
    localBytes,
    signal: stopped.signal,
  })
  const running = run()
  return {
    stop: async () => {
      stopped.abort()
      await running
      objects.close()
      await store.close()
    },
  }

  async function run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS
    let probeAtMs = 0
    while (!stopped.signal.aborted) {
      try {
        store.past.refresh()
        await keeper.run()
        if (systemClock.monotonicMs() >= probeAtMs) {
          await objects.length(PROBE, stopped.signal)
          probeAtMs = systemClock.monotonicMs() + PROBE_MS
        }
        if (retryMs > FIRST_RETRY_MS) log.info('History archive answers again')
        retryMs = FIRST_RETRY_MS
        await rest(IDLE_MS)
      } catch (err) {
        if (stopped.signal.aborted) return
        log.warn(CHAIN_PROBLEMS.archiveFailed, { err, retryMs })
        probeAtMs = 0
        await rest(retryMs)
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
      }
    }
  }

  async function rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = systemClock.after(ms, resolve)
    stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    timer.cancel()
  }
})

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock, Timer } from './clock.ts'

/*
 * Unused memory stays allocated for long: garbage until V8 collects it, freed bytes until the C library returns their
 * pages. On a machine that the process has to itself, that costs nothing.
 */

const GARBAGE_LOOK_MS = 50
const GARBAGE_MAX_BYTES = 32 * 1024 * 1024
/** Below this, a major collection after the minor one is not worth its cost. */
const OLD_GARBAGE_MAX_BYTES = 24 * 1024 * 1024

export interface GarbageSource {
  /** Bytes in this thread's heap and in external buffers, garbage included. */
  usedBytes(): number
  /** Collects short-lived garbage within about two milliseconds. */
  collectYoung(): void
  collectAll(): Promise<void>
}

interface Gc {
  (options: { type: 'minor' }): void
  (options: { type: 'major'; execution: 'async' }): Promise<void>
}

let exposed: Gc | undefined

function gc(): Gc {
  if (exposed === undefined) {
    setFlagsFromString('--expose-gc')
    exposed = runInNewContext('gc') as Gc
  }
  return exposed
}

/** Asks V8 to collect soon, in a task of its own. It takes about 20 ms for a server's heap. */
export async function collectGarbage(): Promise<void> {
  await gc()({ type: 'major', execution: 'async' })
  // V8 frees buffers in the background, and the next collection accounts for them.
  gc()({ type: 'minor' })
}

/** Collects young garbage at once, in about two milliseconds. */
function collectYoungGarbage(): void {
  gc()({ type: 'minor' })
  gc()({ type: 'minor' })
}

const THIS_THREAD: GarbageSource = {
  usedBytes() {
    const { used_heap_size, external_memory } = getHeapStatistics()
    return used_heap_size + external_memory
  },
  collectYoung: collectYoungGarbage,
  collectAll: collectGarbage,
}

/**
 * Bounds the garbage on a thread that receives bytes from outside. V8 lets 64 MB of dead buffers accumulate, and as much
 * again in its heap.
 */
export function boundGarbage(clock: Clock, source = THIS_THREAD): Timer {
  let leastBytes = source.usedBytes()
  let isCollecting = false
  const look = (): void => {
    const usedBytes = source.usedBytes()
    leastBytes = Math.min(leastBytes, usedBytes)
    if (isCollecting || usedBytes - leastBytes < GARBAGE_MAX_BYTES) return
    source.collectYoung()
    if (source.usedBytes() - leastBytes < OLD_GARBAGE_MAX_BYTES) return
    isCollecting = true
    void source.collectAll().then(() => {
      leastBytes = source.usedBytes()
      isCollecting = false
    })
  }
  return clock.every(GARBAGE_LOOK_MS, look, { unref: true })
}

const RESIDENT_LOOK_MS = 250
/** Growth above the smallest resident size seen so far. Below it, the process does not ask for memory back. */
const RESIDENT_GROWTH_BYTES = 32 * 1024 * 1024
/** Returning memory takes some milliseconds, so it is not done for less, or more often. */
const WORTHWHILE_BYTES = 8 * 1024 * 1024
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 60_000

/** Returns freed memory to the system while the process is large: at once if it grows, otherwise at increasing intervals. */
export function boundResident(
  clock: Clock,
  giveBack: () => Promise<void>,
  residentBytes: () => number = process.memoryUsage.rss,
): Timer {
  let leastBytes = residentBytes()
  let leftBytes = leastBytes
  let pauseMs = PAUSE_MIN_MS
  let lastMs = clock.monotonicMs() - PAUSE_MIN_MS
  let isGivingBack = false
  const give = async (beforeBytes: number): Promise<void> => {
    isGivingBack = true
    await giveBack()
    leftBytes = residentBytes()
    const isWorthwhile = beforeBytes - leftBytes >= WORTHWHILE_BYTES
    pauseMs = isWorthwhile ? PAUSE_MIN_MS : Math.min(pauseMs * 2, PAUSE_MAX_MS)
    lastMs = clock.monotonicMs()
    isGivingBack = false
  }
  const look = (): void => {
    const bytes = residentBytes()
    leastBytes = Math.min(leastBytes, bytes)
    if (isGivingBack || bytes - leastBytes < RESIDENT_GROWTH_BYTES) return
    const sinceMs = clock.monotonicMs() - lastMs
    const hasGrown = bytes - leftBytes >= WORTHWHILE_BYTES
    if (sinceMs >= (hasGrown ? PAUSE_MIN_MS : pauseMs)) void give(bytes)
  }
  return clock.every(RESIDENT_LOOK_MS, look, { unref: true })
}

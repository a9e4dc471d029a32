import { getHeapStatistics } from 'node:v8'
import type { Clock, Timer } from './clock.ts'
import { collectGarbage, collectYoungGarbage } from './collect-garbage.ts'

/*
 * What is of no use any more is still memory until somebody looks: garbage until V8 collects it, and bytes that were
 * freed until the C library gives their pages back. Both wait long, since on a machine of one's own that costs nothing.
 */

const GARBAGE_LOOK_MS = 50
const GARBAGE_MAX_BYTES = 32 * 1024 * 1024
/** The dear way is not gone for what the cheap one leaves below this. */
const OLD_GARBAGE_MAX_BYTES = 24 * 1024 * 1024

export interface GarbageSource {
  /** In the heap of this thread and in buffers outside it; garbage counts. */
  usedBytes(): number
  /** Finds what died young, within about two milliseconds. */
  collectYoung(): void
  collectAll(): Promise<void>
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
 * For a thread that takes bytes from anybody: bounds the garbage that they make it hold. V8 lets 64 MB of dead buffers
 * gather, and as much again in its heap.
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
      // What is left lives.
      leastBytes = source.usedBytes()
      isCollecting = false
    })
  }
  return clock.every(GARBAGE_LOOK_MS, look, { unref: true })
}

const RESIDENT_LOOK_MS = 250
/** Above the least that the process ever had; below, nothing is asked of the system. */
const RESIDENT_GROWTH_BYTES = 32 * 1024 * 1024
/** Giving back costs some milliseconds: for less, or more often, it is not worth it. */
const WORTHWHILE_BYTES = 8 * 1024 * 1024
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 60_000

/** Has freed memory given back to the system while the process is large: at once where it grows, else ever less often. */
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

import { getHeapStatistics } from 'node:v8'
import type { Clock, Timer } from './clock.ts'
import { collectGarbage, collectYoungGarbage } from './collect-garbage.ts'

const GARBAGE_LOOK_MS = 50
const GARBAGE_MAX_BYTES = 32 * 1024 * 1024

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
    if (source.usedBytes() - leastBytes < GARBAGE_MAX_BYTES / 2) return
    isCollecting = true
    void source.collectAll().then(() => {
      // What is left lives.
      leastBytes = source.usedBytes()
      isCollecting = false
    })
  }
  return clock.every(GARBAGE_LOOK_MS, look, { unref: true })
}

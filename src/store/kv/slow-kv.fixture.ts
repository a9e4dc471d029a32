/** A slow disk: a held batch is neither written nor visible before it is released. */
import type { Kv, KvBatch } from './kv.ts'

export interface SlowKv extends Kv {
  /** Holds the next batch; resolves when it waits. */
  hold(): Promise<void>
  release(): void
}

export function createSlowKv(kv: Kv): SlowKv {
  let hold: { readonly reached: () => void; readonly released: Promise<void> } | undefined
  let release = (): void => undefined
  const pass = async (): Promise<void> => {
    const current = hold
    hold = undefined
    current?.reached()
    await current?.released
  }
  return {
    get: (key) => kv.get(key),
    snapshot: () => kv.snapshot(),
    range: (range) => kv.range(range),
    batch: () => createSlowBatch(kv.batch(), pass),
    requireRoom: (bytes) => kv.requireRoom(bytes),
    compact: (gte, lt) => kv.compact(gte, lt),
    close: () => kv.close(),
    hold() {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      hold = { reached: reached.resolve, released: released.promise }
      release = released.resolve
      return reached.promise
    },
    release: () => release(),
  }
}

function createSlowBatch(batch: KvBatch, pass: () => Promise<void>): KvBatch {
  return {
    put: (key, value) => batch.put(key, value),
    delete: (key) => batch.delete(key),
    get bytes() {
      return batch.bytes
    },
    async write(options) {
      await pass()
      await batch.write(options)
    },
  }
}

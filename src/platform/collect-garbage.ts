import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/** Asks V8 to collect soon, as a task of its own: some 20 ms for the heap of a server. */
export async function collectGarbage(): Promise<void> {
  await gc()({ type: 'major', execution: 'async' })
  // Buffers are freed in the background, and counted by the next collection.
  gc()({ type: 'minor' })
}

/** At once, what is young: some two milliseconds. */
export function collectYoungGarbage(): void {
  gc()({ type: 'minor' })
  gc()({ type: 'minor' })
}

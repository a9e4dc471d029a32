/** Prints the CPU time of each slice of transactions by thread, from the first transaction after the start of a node. */
import { threadMicrosOf } from './cpu-seconds.ts'
import type { SendAll } from './pool-brief.ts'
import { startCairn } from './pool-targets.ts'
import { signWorkload } from './pool-workload.ts'

/** Recovers keys in native code: the same work for every transaction, whatever else the machine does. */
const REFERENCE = 'libuv-worker'
const THREADS = ['server-0', 'writer', 'MainThread', 'V8Worker', REFERENCE]

export async function tellSlices(sizes: readonly number[], send: SendAll): Promise<void> {
  console.log('CPU of each transfer in µs by thread, and the sum as a multiple of key recovery')
  console.log(['slice', ...THREADS, 'sum', 'multiple'].map((name) => name.padStart(13)).join(''))
  const target = await startCairn({})
  let from = 0
  for (const size of sizes) {
    const before = threadMicrosOf(target.pid)
    await send(target, signWorkload('transfers', size, from))
    from += size
    const after = threadMicrosOf(target.pid)
    const each = (name: string): number => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / size
    const sum = [...after.keys()].reduce((total, name) => total + each(name), 0)
    const figures = [...THREADS.map(each), sum].map((micros) => micros.toFixed(0))
    const row = [String(size), ...figures, (sum / each(REFERENCE)).toFixed(2)]
    console.log(row.map((text) => text.padStart(13)).join(''))
  }
  await target.stop()
}

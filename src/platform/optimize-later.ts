import { setFlagsFromString } from 'node:v8'

/**
 * V8 optimises early for web pages, which have idle cores. A node shares its cores with its own compiler threads, and the code of a
 * transaction pays for its optimisation only after tens of thousands of them (ADR 88). The default counts are 400 and 3,000.
 *
 * The flags apply to all threads. A node sets them after its start, because V8 accepts compiled code only under the flags of its
 * creation: with other flags, every thread compiles Node's own modules again (ADR 100).
 */
export function optimizeLater(): void {
  setFlagsFromString('--invocation-count-for-maglev=1200')
  setFlagsFromString('--invocation-count-for-turbofan=30000')
}

/**
 * A thread is declared once, as a value in the room that owns it: its entry file, what it offers and asks, its restart
 * policy and its memory limit. `thread.ts` starts it, `threads.ts` supervises it, and the types of both sides follow from
 * the declaration.
 */
import type { ResourceLimits } from 'node:worker_threads'
import type { Channel, ChannelLimits, Protocol } from '#platform/channel/channel-protocol.ts'
import { assert } from '#types/assert.ts'
import type { Thread } from './thread.ts'

export interface ThreadTypes {
  /** Cloned to the thread when it starts. */
  readonly data: unknown
  /** Requests, streams and events that the thread offers. */
  readonly offers: Protocol
  /** Requests, streams and events that its starter offers. */
  readonly asks: Protocol
}

/** The information needed to load the thread's modules. */
export interface ThreadPlan {
  /** Shown in logs, metrics and errors. Each of several threads has its own name, e.g. `engine-1`. */
  readonly name: string
  /** The file that calls runThread: `import.meta.resolve('#room/file.ts')`. */
  readonly entry: string
  /** V8's limits. A replaceable thread with limits is terminated when it uses a quarter of its heap. */
  readonly heap?: ResourceLimits
  /** Discards the thread's standard output and standard error. */
  readonly isSilent?: boolean
}

export interface ThreadDefinition<Types extends ThreadTypes> extends ThreadPlan {
  readonly restart: AnyRestart
  /** Lowers the thread's priority below that of the main thread (Linux). */
  readonly lowPriority?: boolean
  /** Limits of both ends of the channel. */
  readonly limits?: Partial<ChannelLimits>
  readonly startDeadlineMs?: number
  /** CPU time until the thread is ready. It distinguishes a thread in a loop from one on a busy machine. */
  readonly startCpuMs?: number
  /** Deadline for reporting metrics or changing the log level. */
  readonly careDeadlineMs?: number
  /** Only for the compiler: it holds no value. */
  readonly types?: Types
}

/** `never`: the node stops with the thread, which may use any amount of memory. `onDemand`: its owner starts another. */
export type AnyRestart = Restart | 'never' | 'onDemand'

/** How a thread that ended is replaced. */
export interface Restart {
  /** The pause before each consecutive restart; the last one repeats. */
  readonly pausesMs: readonly number[]
  /** A thread that worked longer starts again with the first pause. */
  readonly settledMs: number
}

/** The second pause keeps the log short and still suits clients that retry. */
export const RESTART_AT_ONCE: Restart = { pausesMs: [0, 1_000], settledMs: 1_000 }

/**
 * For threads that serve the network. Without a limit, V8 lets the young generation grow to 100 MB under a flood and
 * never shrinks it; 32 MB are enough for requests and messages.
 */
export const BOUNDED_YOUNG_GENERATION: ResourceLimits = { maxYoungGenerationSizeMb: 32 }

export function defineThread<Types extends ThreadTypes>(
  definition: ThreadDefinition<Types>,
): ThreadDefinition<Types> {
  return definition
}

export type TypesOf<Definition> = Definition extends ThreadDefinition<infer Types> ? Types : never

/** The thread as its starter sees it. */
export type ThreadOf<Definition> = Thread<TypesOf<Definition>['asks'], TypesOf<Definition>['offers']>
/** The channel as the thread sees it. */
export type StarterChannel<Definition> = Channel<TypesOf<Definition>['offers'], TypesOf<Definition>['asks']>

/** Counts consecutive restarts. */
export class RestartPauses {
  readonly #restart: Restart
  #restarts = 0

  constructor(restart: AnyRestart) {
    assert(typeof restart === 'object', 'A thread that is replaced has a definition that says how.')
    this.#restart = restart
  }

  /** The pause before the successor of a thread that worked for `workedMs`. */
  nextMs(workedMs: number): number {
    const { pausesMs, settledMs } = this.#restart
    if (workedMs > settledMs) this.#restarts = 0
    return pausesMs[Math.min(this.#restarts++, pausesMs.length - 1)]!
  }
}

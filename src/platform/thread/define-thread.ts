/**
 * A thread is declared once, as a value in the room that owns it: where it begins, what it offers and asks, how it is
 * restarted and how much memory it may use. `thread.ts` starts it, `threads.ts` takes care of it, and the types of both
 * sides follow from the declaration.
 */
import type { ResourceLimits } from 'node:worker_threads'
import type { Channel, ChannelLimits, Protocol } from '#platform/channel/channel-protocol.ts'
import { assert } from '#types/assert.ts'
import type { Thread } from './thread.ts'

export interface ThreadTypes {
  /** Cloned to the thread when it starts. */
  readonly data: unknown
  /** What the thread answers and publishes. */
  readonly offers: Protocol
  /** What its starter answers and publishes. */
  readonly asks: Protocol
}

/** What is needed to load the thread's modules. */
export interface ThreadPlan {
  /** Shown in logs, metrics and errors. Each of several threads has its own, e.g. `engine-1`. */
  readonly name: string
  /** The file that calls runThread: `import.meta.resolve('#room/file.ts')`. */
  readonly entry: string
  /** V8's limits. A thread that has them and can be replaced is terminated when it uses a quarter of its heap. */
  readonly heap?: ResourceLimits
  /** Drops what the thread writes to standard output and standard error. */
  readonly isSilent?: boolean
}

export interface ThreadDefinition<Types extends ThreadTypes> extends ThreadPlan {
  readonly restart: AnyRestart
  /** Lowers the thread's priority below that of the main thread (Linux). */
  readonly lowPriority?: boolean
  /** Limits of both ends of the channel. */
  readonly limits?: Partial<ChannelLimits>
  readonly startDeadlineMs?: number
  /** CPU time until the thread is ready. It distinguishes a thread that loops from one that waits for a busy machine. */
  readonly startCpuMs?: number
  /** How long the thread may take to report its metrics or to change its log level. */
  readonly careDeadlineMs?: number
  /** Only for the compiler: it holds no value. */
  readonly types?: Types
}

/** `never`: the node stops with the thread, which is not terminated for its use of memory. `onDemand`: its owner starts another one when it needs it. */
export type AnyRestart = Restart | 'never' | 'onDemand'

/** How a thread that ended is replaced. */
export interface Restart {
  /** The pause before each restart in a row; the last one repeats. */
  readonly pausesMs: readonly number[]
  /** A thread that worked longer begins again with the first pause. */
  readonly settledMs: number
}

/** The second pause is long enough for the log, and short for clients that retry. */
export const RESTART_AT_ONCE: Restart = { pausesMs: [0, 1_000], settledMs: 1_000 }

/**
 * For threads that serve the network. Without a limit V8 lets the young generation grow to 100 MB under a flood and never
 * shrinks it. 32 MB are enough for requests and messages.
 */
export const BOUNDED_YOUNG_GENERATION: ResourceLimits = { maxYoungGenerationSizeMb: 32 }

export function defineThread<Types extends ThreadTypes>(
  definition: ThreadDefinition<Types>,
): ThreadDefinition<Types> {
  return definition
}

export type TypesOf<Definition> = Definition extends ThreadDefinition<infer Types> ? Types : never

/** The thread, as its starter has it. */
export type ThreadOf<Definition> = Thread<TypesOf<Definition>['asks'], TypesOf<Definition>['offers']>
/** The channel, as the thread has it. */
export type StarterChannel<Definition> = Channel<TypesOf<Definition>['offers'], TypesOf<Definition>['asks']>

/** Counts the restarts in a row. */
export class RestartPauses {
  readonly #restart: Restart
  #restarts = 0

  constructor(restart: AnyRestart) {
    assert(typeof restart === 'object', 'A thread that is replaced has a definition that says how.')
    this.#restart = restart
  }

  /** The pause before the successor of a thread that worked for so long. */
  nextMs(workedMs: number): number {
    const { pausesMs, settledMs } = this.#restart
    if (workedMs > settledMs) this.#restarts = 0
    return pausesMs[Math.min(this.#restarts++, pausesMs.length - 1)]!
  }
}

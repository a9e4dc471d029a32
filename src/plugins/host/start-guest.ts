/** Starts a plugin's thread with its limits and answers its requests. */
import type { Clock } from '#platform/clock.ts'
import { defineThread, type ThreadOf } from '#platform/thread/define-thread.ts'
import { startThread } from '#platform/thread/thread.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PluginSource } from '#plugins/find-plugins.ts'
import type { GuestData, GuestOffers, HostOffers } from '#plugins/plugin-protocol.ts'

/** CPU time: a module that computes longer is in a loop. */
const LOAD_CPU_MS = 10_000
/** Extra time for a busy machine. */
const LOAD_DEADLINE_MS = 120_000
/** Concurrent client calls to a plugin. Further ones wait on main, where a rule overtakes them. */
const CALLS_MAX = 64
/** heap-watch.ts terminates a thread at a quarter of V8's limit, so the process never reaches it. */
const LIMIT_PER_ALLOWED = 4

export const PLUGIN = defineThread<{ data: GuestData; offers: GuestOffers; asks: HostOffers }>({
  name: 'plugin',
  entry: import.meta.resolve('#plugins/guest/plugin-thread-entry.ts'),
  restart: { pausesMs: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000], settledMs: 600_000 },
  heap: { maxYoungGenerationSizeMb: 16 },
  lowPriority: true,
  isSilent: true,
  limits: { inFlightMax: CALLS_MAX },
  startDeadlineMs: LOAD_DEADLINE_MS,
  startCpuMs: LOAD_CPU_MS,
  careDeadlineMs: 500,
})

export type GuestThread = ThreadOf<typeof PLUGIN>

export interface LoadParts {
  readonly clock: Clock
  readonly maxMemoryMb: number
  /** If true, the plugin's files must match `SHA256SUMS` at every start of its thread. */
  readonly isVerified: boolean
}

/** The plugin of the thread, once it is known. */
export interface GuestOwner {
  readonly parts: { answerRpc(message: string): Promise<string> } | undefined
  endForFlood(): void
}

export async function startGuest(
  source: PluginSource,
  { clock, maxMemoryMb, isVerified }: LoadParts,
  host: () => GuestOwner | undefined,
  signal?: AbortSignal,
): Promise<GuestThread> {
  const pace = createChannelPace(clock, () => host()?.endForFlood())
  return await startThread<HostOffers, GuestOffers>({
    ...PLUGIN,
    name: `${PLUGIN.name}-${source.name}`,
    heap: { ...PLUGIN.heap, maxOldGenerationSizeMb: LIMIT_PER_ALLOWED * maxMemoryMb },
    data: { module: source.module, isVerified },
    clock,
    ...(signal && { signal }),
    handlers: {
      requests: {
        rpc: async (message) => {
          await pace()
          const parts = host()?.parts
          if (parts === undefined) throw pluginFault('The node answers requests from register on.')
          return await parts.answerRpc(message)
        },
      },
    },
  }).catch((error: Error) => {
    throw pluginFault(`The plugin ${source.file} could not be loaded: ${causeOf(error)}`, { cause: error })
  })
}

/** The module's own error says more than the failed start of its thread. */
function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** A plugin's requests per second; further ones wait. */
const REQUESTS_PER_SECOND = 500
const REQUESTS_AT_ONCE = 250
/** The plugin's side of the channel allows fewer, so more means that the plugin bypasses it. */
const REQUEST_FLOOD = 300

/** Resolves when the next request may be served. A plugin that sends too many requests slows only itself. */
function createChannelPace(clock: Clock, onFlood: () => void): () => Promise<void> {
  let left = REQUESTS_AT_ONCE
  let lastMs = clock.monotonicMs()
  let waiting = 0
  return async () => {
    const nowMs = clock.monotonicMs()
    left = Math.min(REQUESTS_AT_ONCE, left + ((nowMs - lastMs) * REQUESTS_PER_SECOND) / 1_000)
    lastMs = nowMs
    left--
    if (left >= 0) return
    if (++waiting > REQUEST_FLOOD) onFlood()
    try {
      await new Promise<void>((resolve) =>
        clock.after((-left * 1_000) / REQUESTS_PER_SECOND, resolve, { unref: true }),
      )
    } finally {
      waiting--
    }
  }
}

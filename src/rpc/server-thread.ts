import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { LogLevel } from '#platform/log-level.ts'
import type { MetricsSnapshot } from '#platform/metrics-merge.ts'
import { startThread, type Thread } from '#platform/thread.ts'
import type { LoginAdmission } from './auth/login-limit.ts'
import type { ServiceAddress, Services } from './ports.ts'
import type { HealthFacts } from './server/health.ts'
import type { ServerConfig } from './server-config.ts'

/** What the main thread answers its servers: whatever must be one for all of them, or lives there. */
export type MainOffers = {
  readonly requests: {
    readonly admitLogin: { readonly params: { remoteAddress: string }; readonly result: LoginAdmission }
    readonly services: { readonly params: null; readonly result: Services }
    readonly isListening: { readonly params: null; readonly result: boolean }
    readonly health: { readonly params: null; readonly result: HealthFacts }
    readonly setLogLevel: {
      readonly params: { level: LogLevel; names: readonly string[] | undefined }
      readonly result: null
    }
  }
}

/** What a server thread answers the main thread. */
export type ServerOffers = {
  readonly requests: {
    readonly addresses: { readonly params: null; readonly result: ServerAddresses }
    readonly metrics: { readonly params: null; readonly result: MetricsSnapshot }
    readonly setLogLevel: {
      readonly params: { level: LogLevel; names: readonly string[] | undefined }
      readonly result: null
    }
  }
}

/** Where a server listens; the port is the one in use, also when the system chose it. */
export interface ServerAddresses {
  readonly http: ServiceAddress | null
  readonly websocket: ServiceAddress | null
}

export type ServerThread = Thread<MainOffers, ServerOffers>

export interface MainPorts {
  admitLogin(remoteAddress: string): LoginAdmission
  services(): Services
  isListening(): boolean
  health(): HealthFacts
  setLogLevel(level: LogLevel, names: readonly string[] | undefined): Promise<void>
}

/**
 * Left to itself V8 lets the young generation grow to 100 MB under a flood of short connections, and keeps it. For
 * requests this much does as well.
 */
const YOUNG_GENERATION_MAX_MB = 32

/** Starts a thread that holds sockets, authenticates and dispatches. It listens when the promise resolves. */
export function startServerThread(
  name: string,
  config: ServerConfig,
  ports: MainPorts,
  { clock, log }: { clock: Clock; log: Log },
): Promise<ServerThread> {
  return startThread<MainOffers, ServerOffers>({
    name,
    entry: import.meta.resolve('#rpc/server-thread-entry.ts'),
    data: config,
    clock,
    lowPriority: true,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    onError: (error) => log.error('The channel to a server thread failed.', { err: error }),
    handlers: {
      requests: {
        admitLogin: ({ remoteAddress }) => ports.admitLogin(remoteAddress),
        services: () => ports.services(),
        isListening: () => ports.isListening(),
        health: () => ports.health(),
        setLogLevel: async ({ level, names }) => {
          await ports.setLogLevel(level, names)
          return null
        },
      },
    },
  })
}

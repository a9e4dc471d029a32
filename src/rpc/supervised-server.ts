import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { ServerConfig } from './server-config.ts'
import {
  type MainPorts,
  type ServerAddresses,
  type ServerThread,
  startServerThread,
} from './server-thread.ts'

/** Long enough that one that dies at every start does not fill the log, short for clients that try again. */
const RESTART_PAUSE_MS = 1_000

export interface SupervisedServer {
  readonly addresses: ServerAddresses
  /** The one at work now. */
  thread(): ServerThread
  stop(deadlineMs: number): Promise<void>
}

export interface SupervisorParts {
  readonly clock: Clock
  readonly log: Log
  readonly restartPauseMs?: number
  /** Told of the first thread and of each that takes its place. */
  readonly onStarted: (thread: ServerThread) => void
}

/**
 * Keeps a server thread at work: one that died, by a mistake of ours or because it was ended, is replaced. Ports
 * and keys stay what they were, so clients only have to connect again, and tokens remain valid.
 */
export async function superviseServer(
  name: string,
  config: ServerConfig,
  ports: MainPorts,
  { clock, log, onStarted, restartPauseMs = RESTART_PAUSE_MS }: SupervisorParts,
): Promise<SupervisedServer> {
  let current: ServerThread
  let isStopping = false
  let restart: Timer | undefined
  let keptConfig = config

  const start = async (): Promise<void> => {
    current = await startServerThread(name, keptConfig, ports, { clock, log })
    onStarted(current)
    void current.exited.then(({ error }) => replace(error))
  }
  const replace = (err: unknown): void => {
    if (isStopping) return
    log.error('A server thread ended before its time; another takes its place.', { thread: name, err })
    restart = clock.after(restartPauseMs, () => void start().catch(replace))
  }

  await start()
  const addresses = await current!.channel.request('addresses', null)
  keptConfig = withPorts(config, addresses)
  return {
    addresses,
    thread: () => current,
    async stop(deadlineMs) {
      isStopping = true
      restart?.cancel()
      await current.stop(deadlineMs)
    },
  }
}

/** The ports that the system chose, where it was asked to. */
function withPorts(config: ServerConfig, { http, websocket }: ServerAddresses): ServerConfig {
  return {
    ...config,
    http: config.http && http && { ...config.http, port: http.port },
    websocket: config.websocket && websocket && { ...config.websocket, port: websocket.port },
  }
}

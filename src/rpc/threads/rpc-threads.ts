/**
 * The threads that answer JSON-RPC, as main sees them: servers hold sockets and read, engines execute. Engines are
 * started when the first request needs one, for many a node never has such a request, and each takes memory. Every
 * server has a channel to every engine thread; one that dies is replaced and connected again.
 */
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import { NEVER_MS } from '#platform/channel/channel-protocol.ts'
import { createPortPair } from '#platform/channel/port-pair.ts'
import { answerContracts, tellContracts } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { ThreadOf } from '#platform/thread/define-thread.ts'
import type { SupervisedThread, Threads } from '#platform/thread/threads.ts'
import { CONTRACTS } from '#rpc/contracts.ts'
import type { ServerConfig } from '#rpc/settings/server-config.ts'
import { ENGINE, type EngineConfig } from './engine-protocol.ts'
import {
  type InProcessAnswer,
  type InProcessCall,
  type MainOwners,
  SERVER_CONTRACTS,
  type ServerAddresses,
} from './server-protocol.ts'
import { SERVER, serverName } from './server-thread.ts'
import { ENGINE_REQUESTS } from './thread-metrics.ts'

type ServerThread = ThreadOf<typeof SERVER>
type EngineThread = ThreadOf<typeof ENGINE>

/** The signal of the caller, or the server's own time limits, end a request before. */
const CALL_DEADLINE_MS = 3_600_000

export interface RpcThreadsConfig {
  readonly servers: readonly ServerConfig[]
  readonly engines: number
  /** Undefined exactly where there are no engines. `head` is that of the moment when one is started. */
  readonly engine: (() => EngineConfig) | undefined
}

export interface RpcThreadsParts {
  /** Who answers what servers ask of main. */
  readonly owners: MainOwners
  readonly log: Log
  readonly metrics: Pick<Metrics, 'counter'>
  readonly threads: Threads
}

export interface InProcessConnection {
  call(message: string, signal?: AbortSignal): Promise<InProcessAnswer>
  /** JSON text. The connection opens with the first `next()`: read it before the first call. Ends by throwing. */
  readonly notifications: AsyncIterable<string>
  close(): void
}

export class RpcThreads {
  readonly #config: RpcThreadsConfig
  readonly #parts: RpcThreadsParts
  readonly #supervised: { readonly servers: SupervisedThread[]; readonly engines: SupervisedThread[] }
  /** At work now. */
  readonly #servers = new Set<ServerThread>()
  readonly #engines = new Set<EngineThread>()
  /** By their index: those that were begun. */
  readonly #startingEngines = new Map<number, Promise<void>>()
  #isStopping = false
  #addresses: ServerAddresses = { http: null, websocket: null }
  #nextServer = 0
  #nextConnection = 1

  constructor(config: RpcThreadsConfig, parts: RpcThreadsParts) {
    this.#config = config
    this.#parts = parts
    this.#supervised = { servers: [], engines: [] }
    // Zero until engines count for themselves: who watches a node is not to miss it before the first request.
    if (config.engines > 0) parts.metrics.counter(ENGINE_REQUESTS)
  }

  /** Where they listen; all on the same ports. */
  get addresses(): ServerAddresses {
    return this.#addresses
  }

  async start(): Promise<void> {
    await settled(this.#config.servers.map((config, index) => this.#superviseServer(index, config)))
  }

  /** Resolves when all were started, now or before. One that fails is started anew when it is asked for again. */
  async startEngines(): Promise<void> {
    for (let index = 0; index < this.#config.engines && !this.#isStopping; index++) {
      if (this.#startingEngines.has(index)) continue
      const starting = this.#superviseEngine(index)
      this.#startingEngines.set(index, starting)
      starting.catch(() => this.#startingEngines.delete(index))
    }
    await settled([...this.#startingEngines.values()])
  }

  /** Resolves when every server answers from this head, or a later one. */
  async announced(head: AnnouncedHead): Promise<void> {
    const asked = [...this.#servers].map(({ channel }) => channel.request('announce', head))
    // One that ends meanwhile asks for the head when it starts anew.
    await Promise.allSettled(asked)
  }

  /** A request of the program that the node is part of; the servers take turns. */
  async call(message: string, signal?: AbortSignal): Promise<InProcessAnswer> {
    return await callServer(this.#nextOne(), { message, connection: undefined }, signal)
  }

  /** A connection of that program to one of the servers. It ends when it is closed, or with the server. */
  connect(): InProcessConnection {
    const server = this.#nextOne()
    const connection = this.#nextConnection++
    const closing = new AbortController()
    const options = { deadlineMs: NEVER_MS, signal: closing.signal }
    return {
      call: (message, signal) => callServer(server, { message, connection }, signal),
      notifications: server.channel.stream('connection', { id: connection }, options),
      close: () => closing.abort(),
    }
  }

  #nextOne(): ServerThread {
    const servers = [...this.#servers]
    const server = servers[this.#nextServer++ % servers.length]
    if (server === undefined) throw new Error('No server thread is at work at this moment.')
    return server
  }

  /** Servers first: what they have under way may need an engine. */
  async stop(deadlineMs: number): Promise<void> {
    const { servers, engines } = this.#supervised
    this.#isStopping = true
    await Promise.all(servers.map((server) => server.stop(deadlineMs)))
    await Promise.allSettled(this.#startingEngines.values())
    await Promise.all(engines.map((engine) => engine.stop(deadlineMs)))
  }

  async #superviseEngine(index: number): Promise<void> {
    const { log, threads } = this.#parts
    const engine = await threads.keep(ENGINE, {
      name: `${ENGINE.name}-${index}`,
      log,
      handlers: {},
      begin: () => ({ data: this.#config.engine!() }),
      onStarted: (thread) => {
        this.#engines.add(thread)
        void thread.exited.then(() => this.#engines.delete(thread))
        for (const server of this.#servers) this.#connect(server, thread)
      },
    })
    this.#supervised.engines.push(engine)
  }

  async #superviseServer(index: number, config: ServerConfig): Promise<void> {
    const { log, threads, owners } = this.#parts
    let kept = config
    const server = await threads.keep(SERVER, {
      name: serverName(index),
      log,
      handlers: {
        requests: answerContracts({ ...CONTRACTS, ...SERVER_CONTRACTS }, owners),
        streams: tellContracts(CONTRACTS, owners),
      },
      begin: () => {
        forgetConnections(kept)
        return { data: kept }
      },
      onStarted: (thread) => {
        this.#servers.add(thread)
        void thread.exited.then(() => this.#servers.delete(thread))
        for (const engine of this.#engines) this.#connect(thread, engine)
      },
    })
    this.#supervised.servers.push(server)
    const [first] = this.#servers
    this.#addresses = await first!.channel.request('addresses', null)
    // One that takes its place listens where clients know it.
    kept = withPorts(config, this.#addresses)
  }

  /** Both ends are sent at once. Where one of the threads has ended, so does the line, and the other sees it. */
  #connect(server: ServerThread, engine: EngineThread): void {
    const [one, other] = createPortPair()
    const ends = [
      engine.channel.request('connectServer', { name: server.name, port: one }, { transfer: [one] }),
      server.channel.request('connectEngine', { name: engine.name, port: other }, { transfer: [other] }),
    ]
    for (const end of ends) end.catch(() => undefined)
  }
}

function callServer(
  { channel }: ServerThread,
  call: InProcessCall,
  signal: AbortSignal | undefined,
): Promise<InProcessAnswer> {
  return channel.request('call', call, { deadlineMs: CALL_DEADLINE_MS, ...(signal && { signal }) })
}

/** All have settled, so that none starts on when another has failed and all are stopped. */
async function settled(starts: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(starts)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** What a server that died had open is closed. */
function forgetConnections({ sharing, subscriptions: { shared, server } }: ServerConfig): void {
  Atomics.store(shared.counts, server, 0)
  if (sharing === null) return
  Atomics.store(sharing.httpConnections, sharing.server, 0)
  Atomics.store(sharing.websocketConnections, sharing.server, 0)
}

/** The ports that are in use, where the system was asked to choose. */
function withPorts(config: ServerConfig, { http, websocket }: ServerAddresses): ServerConfig {
  return {
    ...config,
    http: config.http && (http ? { ...config.http, port: http.port } : config.http),
    websocket:
      config.websocket && (websocket ? { ...config.websocket, port: websocket.port } : config.websocket),
  }
}

/**
 * The JSON-RPC threads as main sees them: servers hold sockets and read, engines execute. Engines start with the first
 * request that needs one, because many nodes never have such a request and each takes memory. Every server has a
 * channel to every engine; a thread that dies is replaced and connected again.
 */

import { switchCallLog } from '#api/calls/call-log-switch.ts'
import { CONTRACTS } from '#api/contracts.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import { ENGINE_REQUESTS } from '#jsonrpc/threads/engine-protocol.ts'
import type { InProcessAnswer, InProcessCall } from '#jsonrpc/threads/in-process-connections.ts'
import type { ServerAddresses } from '#jsonrpc/threads/json-rpc-server.ts'
import { NEVER_MS } from '#platform/channel/channel-protocol.ts'
import { createPortPair } from '#platform/channel/port-pair.ts'
import { answerContracts, publishContracts } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { ThreadOf } from '#platform/thread/define-thread.ts'
import type { SupervisedThread, Threads } from '#platform/thread/threads.ts'
import { ENGINE, type EngineConfig } from './engine-thread.ts'
import { type MainOwners, SERVER_CONTRACTS } from './server-protocol.ts'
import { type ApiServerConfig, SERVER, serverName } from './server-thread.ts'

type ServerThread = ThreadOf<typeof SERVER>
type EngineThread = ThreadOf<typeof ENGINE>

/** A last resort: the caller's signal or the server's time limits end a request before. */
const CALL_DEADLINE_MS = 3_600_000

export interface RpcThreadsConfig {
  readonly servers: readonly ApiServerConfig[]
  readonly engines: number
  /** Undefined exactly if there are no engines. Called when one starts, for the head of that moment. */
  readonly engine: (() => EngineConfig) | undefined
}

export interface RpcThreadsParts {
  readonly owners: MainOwners
  readonly log: Log
  readonly metrics: Pick<Metrics, 'counter'>
  readonly threads: Threads
}

export interface InProcessConnection {
  call(message: string, signal?: AbortSignal): Promise<InProcessAnswer>
  /** JSON text. The connection opens with the first `next()`: call it before the first request. Ends by throwing. */
  readonly notifications: AsyncIterable<string>
  close(): void
}

export class RpcThreads {
  readonly #config: RpcThreadsConfig
  readonly #parts: RpcThreadsParts
  readonly #supervised: { readonly servers: SupervisedThread[]; readonly engines: SupervisedThread[] }
  readonly #servers = new Set<ServerThread>()
  readonly #engines = new Set<EngineThread>()
  /** By index. */
  readonly #startingEngines = new Map<number, Promise<void>>()
  #isStopping = false
  #addresses: ServerAddresses = { http: null, websocket: null, console: null, engine: null }
  #nextServer = 0
  #nextConnection = 1

  constructor(config: RpcThreadsConfig, parts: RpcThreadsParts) {
    this.#config = config
    this.#parts = parts
    this.#supervised = { servers: [], engines: [] }
    // Zero until engines count, so that the metric exists before the first request.
    if (config.engines > 0) parts.metrics.counter(ENGINE_REQUESTS)
  }

  get addresses(): ServerAddresses {
    return this.#addresses
  }

  async start(): Promise<void> {
    await settled(this.#config.servers.map((config, index) => this.#superviseServer(index, config)))
  }

  /** Resolves when all have started. An engine that fails is started again by the next call. */
  async startEngines(): Promise<void> {
    for (let index = 0; index < this.#config.engines && !this.#isStopping; index++) {
      if (this.#startingEngines.has(index)) continue
      const starting = this.#superviseEngine(index)
      this.#startingEngines.set(index, starting)
      starting.catch(() => this.#startingEngines.delete(index))
    }
    await settled([...this.#startingEngines.values()])
  }

  /** Resolves when every server answers from this head or a later one. */
  async announced(head: AnnouncedHead): Promise<void> {
    const asked = [...this.#servers].map(({ channel }) => channel.request('announce', head))
    // A server that ends meanwhile asks for the head when it restarts.
    await Promise.allSettled(asked)
  }

  /** Sets whether calls on the development network log their `console.log`. */
  setCallLogging(isOn: boolean): void {
    const memory = this.#config.servers[0]?.callLogSwitch
    if (memory !== undefined) switchCallLog(memory, isOn)
  }

  /** A request of the embedding program; the servers take turns. */
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

  /** Servers first, since their running requests may need an engine. */
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

  async #superviseServer(index: number, config: ApiServerConfig): Promise<void> {
    const { log, threads, owners } = this.#parts
    let kept = config
    let started: ServerThread | undefined
    const server = await threads.keep(SERVER, {
      name: serverName(index),
      log,
      handlers: {
        requests: answerContracts({ ...CONTRACTS, ...SERVER_CONTRACTS }, owners),
        streams: publishContracts(CONTRACTS, owners),
      },
      begin: () => {
        forgetConnections(kept)
        return { data: kept }
      },
      onStarted: (thread) => {
        started = thread
        this.#servers.add(thread)
        void thread.exited.then(() => this.#servers.delete(thread))
        for (const engine of this.#engines) this.#connect(thread, engine)
      },
    })
    this.#supervised.servers.push(server)
    const addresses = await started!.channel.request('addresses', null)
    // Only one of the servers has these.
    const { console, engine } = this.#addresses
    this.#addresses = {
      ...addresses,
      console: addresses.console ?? console,
      engine: addresses.engine ?? engine,
    }
    // A replacement must listen on the ports that clients know.
    kept = withPorts(config, addresses)
  }

  /** Sends both ends at once. If one of the threads has ended, so does the line, and the other notices. */
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

/** Waits for all, so that none continues to start when another has failed and all are stopped. */
async function settled(starts: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(starts)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Resets the counts of a server that died. */
function forgetConnections({ sharing, subscriptions: { shared, server } }: ApiServerConfig): void {
  Atomics.store(shared.counts, server, 0)
  if (sharing === null) return
  Atomics.store(sharing.httpConnections, sharing.server, 0)
  Atomics.store(sharing.websocketConnections, sharing.server, 0)
}

/** Fixes the ports that the system chose. */
function withPorts(
  config: ApiServerConfig,
  { http, websocket, console: own, engine }: ServerAddresses,
): ApiServerConfig {
  return {
    ...config,
    pipeline: config.pipeline && (own ? { ...config.pipeline, port: own.port } : config.pipeline),
    enginePort:
      config.enginePort && (engine ? { ...config.enginePort, port: engine.port } : config.enginePort),
    http: config.http && (http ? { ...config.http, port: http.port } : config.http),
    websocket:
      config.websocket && (websocket ? { ...config.websocket, port: websocket.port } : config.websocket),
  }
}

/** The thread of peers as main sees it. One that ends is replaced: its peers are gone then, and dialled again. */
import type { MayConnect } from '#p2p/may-connect.ts'
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import { createPortPair } from '#platform/channel/port-pair.ts'
import { answerContracts, askContracts, type ClientsOf } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import {
  BOUNDED_YOUNG_GENERATION,
  defineThread,
  RESTART_AT_ONCE,
  type ThreadOf,
} from '#platform/thread/define-thread.ts'
import type { SupervisedThread, Threads } from '#platform/thread/threads.ts'
import type { Enode } from '#types/enode.ts'
import { CarriedProtocols } from './carried-protocols.ts'
import {
  CARRIER_CONTRACTS,
  PEERS_CONTRACTS,
  type PeersThreadConfig,
  type TableOffers,
} from './peers-protocol.ts'
import type { ProtocolModule } from './protocol-module.ts'

/** Messages of peers that main has not handled: what all of them together may have under way (session.ts). */
const UNHANDLED_MAX = 65_536

export const PEERS = defineThread<{ data: PeersThreadConfig; offers: TableOffers; asks: TableOffers }>({
  name: 'peers',
  entry: import.meta.resolve('#p2p/threads/peers-thread-entry.ts'),
  restart: RESTART_AT_ONCE,
  heap: BOUNDED_YOUNG_GENERATION,
  limits: { queuedMax: UNHANDLED_MAX },
})

export type PeersThreadSettings = Omit<
  PeersThreadConfig,
  'modules' | 'carried' | 'asksWhoMayConnect' | 'permitted'
>

export interface PeersThreadParts {
  readonly log: Log
  readonly threads: Threads
  /** Make protocols that run in the thread. */
  readonly modules: readonly ProtocolModule[]
  /** Run here. */
  readonly protocols: readonly PeerProtocol[]
  /** Nodes that may connect, when a thread starts; undefined: all of them. Changes are told to the port. */
  readonly permitted?: () => readonly Enode[]
  /** Somebody else who is asked each time; undefined: nobody. */
  readonly mayConnect: MayConnect | undefined
  /** Where the settings have no private key. */
  readonly nodeKey?: NodeKeyHolder
  /** A thread is at work. */
  readonly onStarted: (ports: PeersClients, thread: PeersThread) => void
}

export type PeersClients = ClientsOf<typeof PEERS_CONTRACTS>
export type PeersThread = ThreadOf<typeof PEERS>

/** It listens when the promise resolves, and rejects when a port is taken. */
export async function startPeersThread(
  settings: PeersThreadSettings,
  { log, threads, modules, protocols, permitted, mayConnect, nodeKey, onStarted }: PeersThreadParts,
): Promise<SupervisedThread> {
  const carried = new CarriedProtocols(protocols, log)
  const permissions = mayConnect && { mayConnect }
  const handlers = {
    requests: answerContracts(CARRIER_CONTRACTS, {
      protocols: carried.owner(),
      ...(permissions && { permissions }),
      ...(nodeKey && { key: nodeKey }),
    }),
    streams: {},
  }
  let { peers } = settings
  const begin = () => {
    const lines = modules.map(({ module, config, connect }) => {
      const [ours, theirs] = createPortPair()
      connect(ours)
      return { module, config: config(), line: theirs }
    })
    const data: PeersThreadConfig = {
      ...settings,
      peers,
      modules: lines,
      carried: carried.spaces(),
      permitted: permitted?.(),
      asksWhoMayConnect: mayConnect !== undefined,
    }
    return { data, transfer: lines.map(({ line }) => line) }
  }
  let ports: PeersClients | undefined
  const supervised = await threads.keep(PEERS, {
    log,
    handlers,
    begin,
    onStarted: (thread) => {
      ports = askContracts(PEERS_CONTRACTS, thread.channel)
      carried.attach(ports.links)
      void thread.exited.then(() => carried.attach(undefined))
      onStarted(ports, thread)
    },
  })
  const { enode } = await ports!.peers.self()
  // One that takes its place listens where others know it.
  peers = { ...peers, tcpPort: enode.tcpPort!, udpPort: peers.udpPort === null ? null : enode.udpPort }
  return supervised
}

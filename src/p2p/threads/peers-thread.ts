/** Main's view of the peers thread. If the thread ends, it is replaced and its peers are dialled again. */

import type { NodeKeyHolder } from '#p2p/node-key.ts'
import type { MayConnect } from '#p2p/peer-rules.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { TransferList } from '#platform/channel/channel-protocol.ts'
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

/** Maximum peer messages that main has not handled, for all peers together (session.ts). */
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
  /** Modules whose protocols run in the thread. */
  readonly modules: readonly ProtocolModule[]
  /** Protocols that run on main. */
  readonly protocols: readonly PeerProtocol[]
  /** Permitted nodes when a thread starts; undefined if every node may connect. Changes go through the contract. */
  readonly permitted?: () => readonly Enode[]
  /** A plugin's verdict; undefined if there is none. */
  readonly mayConnect: MayConnect | undefined
  /** Used if the settings have no private key. */
  readonly nodeKey?: NodeKeyHolder
  /** Called for each started thread. */
  readonly onStarted: (clients: PeersClients, thread: PeersThread) => void
}

export type PeersClients = ClientsOf<typeof PEERS_CONTRACTS>
export type PeersThread = ThreadOf<typeof PEERS>

/** Resolves when the thread listens; rejects if a port is taken. */
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
    const transfer: TransferList[number][] = []
    const loaded = modules.map(({ module, begin: beginModule }) => {
      const [ours, line] = createPortPair()
      const { config, transfer: given = [] } = beginModule(ours)
      transfer.push(line, ...given)
      return { module, config, line }
    })
    const data: PeersThreadConfig = {
      ...settings,
      peers,
      modules: loaded,
      carried: carried.spaces(),
      permitted: permitted?.(),
      asksWhoMayConnect: mayConnect !== undefined,
    }
    return { data, transfer }
  }
  let clients: PeersClients | undefined
  const supervised = await threads.keep(PEERS, {
    log,
    handlers,
    begin,
    onStarted: (thread) => {
      clients = askContracts(PEERS_CONTRACTS, thread.channel)
      carried.attach(clients.links)
      void thread.exited.then(() => carried.attach(undefined))
      onStarted(clients, thread)
    },
  })
  const { enode } = await clients!.peers.self()
  // A replacement listens on the same ports, which other nodes know.
  peers = { ...peers, tcpPort: enode.tcpPort!, udpPort: peers.udpPort === null ? null : enode.udpPort }
  return supervised
}

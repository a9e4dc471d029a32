/** The thread of peers as main sees it. One that ends is replaced: its peers are gone then, and dialled again. */
import type { MayConnect } from '#p2p/may-connect.ts'
import type { NodeKeyPort } from '#p2p/node-key.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import { createPortPair } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { SharedLevels } from '#platform/log/shared-levels.ts'
import { answerPorts, forwardPorts, type PortsOf } from '#platform/port-table.ts'
import { watchHeap } from '#platform/thread/heap-watch.ts'
import { type SupervisedThread, superviseThread } from '#platform/thread/supervised-thread.ts'
import { BOUNDED_YOUNG_GENERATION, startThread, type Thread } from '#platform/thread/thread.ts'
import type { Enode } from '#types/enode.ts'
import { CarriedProtocols } from './carried-protocols.ts'
import {
  CARRIER_PORTS,
  type CarrierOffers,
  PEERS_PORTS,
  type PeersThreadConfig,
  type PeersThreadOffers,
} from './peers-protocol.ts'
import type { ProtocolModule } from './protocol-module.ts'

/** Messages of peers that main has not handled: what all of them together may have under way (session.ts). */
const UNHANDLED_MAX = 65_536

export type PeersThreadSettings = Omit<
  PeersThreadConfig,
  'modules' | 'carried' | 'asksWhoMayConnect' | 'permitted'
>

export interface PeersThreadParts {
  readonly clock: Clock
  readonly log: Log
  readonly levels: Pick<SharedLevels, 'join'>
  /** Make protocols that run in the thread. */
  readonly modules: readonly ProtocolModule[]
  /** Run here. */
  readonly protocols: readonly PeerProtocol[]
  /** Nodes that may connect, when a thread starts; undefined: all of them. Changes are told to the port. */
  readonly permitted?: () => readonly Enode[]
  /** Somebody else who is asked each time; undefined: nobody. */
  readonly mayConnect: MayConnect | undefined
  /** Where the settings have no private key. */
  readonly nodeKey?: NodeKeyPort
  /** A thread is at work. */
  readonly onStarted: (ports: PeersPorts, thread: PeersThread) => void
}

export type PeersPorts = PortsOf<typeof PEERS_PORTS>
export type PeersThread = Thread<CarrierOffers, PeersThreadOffers>

/** It listens when the promise resolves, and rejects when a port is taken. */
export async function startPeersThread(
  settings: PeersThreadSettings,
  { clock, log, levels, modules, protocols, permitted, mayConnect, nodeKey, onStarted }: PeersThreadParts,
): Promise<SupervisedThread> {
  const carried = new CarriedProtocols(protocols, log)
  const permissions = mayConnect && { mayConnect }
  const handlers = {
    requests: answerPorts(CARRIER_PORTS, {
      protocols: carried.owner(),
      ...(permissions && { permissions }),
      ...(nodeKey && { key: nodeKey }),
    }),
    streams: {},
  }
  let { peers } = settings
  const start = async (): Promise<PeersThread> => {
    const lines = modules.map(({ module, config, connect }) => {
      const [ours, theirs] = createPortPair()
      connect(ours)
      return { module, config: config(), line: theirs }
    })
    const config: PeersThreadConfig = {
      ...settings,
      peers,
      modules: lines,
      carried: carried.spaces(),
      permitted: permitted?.(),
      asksWhoMayConnect: mayConnect !== undefined,
    }
    return await startThread<CarrierOffers, PeersThreadOffers>({
      name: 'peers',
      entry: import.meta.resolve('#p2p/threads/peers-thread-entry.ts'),
      resourceLimits: BOUNDED_YOUNG_GENERATION,
      data: config,
      transfer: lines.map(({ line }) => line),
      clock,
      limits: { queuedMax: UNHANDLED_MAX },
      onError: (error) => log.error('The channel to the thread of peers failed.', { err: error }),
      handlers,
    })
  }
  let ports: PeersPorts | undefined
  const supervised = await superviseThread<PeersThread>({
    name: 'peers',
    start,
    clock,
    log,
    onStarted: (thread) => {
      ports = forwardPorts(PEERS_PORTS, thread.channel)
      watchHeap(thread, { clock, log }, () => undefined)
      levels.join(ports.thread.setLogLevel, thread.exited)
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

/**
 * Where the handlers of a protocol run. What reads the store and sends much (blocks, transactions) runs in the thread of
 * peers: a module, named by whoever starts the node, makes such protocols there. What has its state on main (messages of
 * validators) runs on main: `carried-protocols.ts` brings it messages, one by one and in their order. Either kind is a
 * `PeerProtocol`, and cannot tell.
 */
import type { ForkId } from '#p2p/discv4/node-record.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'

/** A module exports this as `createProtocols`. */
export type CreateProtocols = (parts: ProtocolModuleParts) => Promise<ModuleProtocols>

export interface ProtocolModuleParts {
  /** What main said, cloned. */
  readonly config: unknown
  /** To whoever on main named the module; `connectPort` makes a channel of it. */
  readonly line: LinePort
  readonly clock: Clock
  readonly log: Log
  /** Of this thread; shown with those of the node. */
  readonly metrics: Metrics
}

export interface ModuleProtocols {
  readonly protocols: readonly PeerProtocol[]
  /** Absent: nothing is said about forks, and every node is as good as another. */
  readonly forks?: Forks
  /** After the last peer is gone. */
  stop?(): Promise<void> | void
}

/** Of our chain, for node records. */
export interface Forks {
  /** Null: nothing is said. */
  current(): ForkId | null
  accepts(forkId: ForkId): boolean
}

/** Such a module, as main names it. */
export interface ProtocolModule {
  /** `import.meta.resolve('#room/file.ts')` */
  readonly module: string
  /** Asked whenever the thread is started, also in place of one that ended. */
  readonly config: () => unknown
  /** The other end of the line, likewise for every thread that is started. It closes when the thread ends. */
  readonly connect: (line: LinePort) => void
}

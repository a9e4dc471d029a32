/**
 * Where protocol handlers run. Protocols that read the store and send much data (blocks, transactions) run in the peers thread,
 * created by a module. Protocols with state on main (consensus) run on main, and `carried-protocols.ts` brings them messages
 * one by one, in order. Both are a `PeerProtocol` and see no difference.
 */
import type { ForkId } from '#p2p/discv4/node-record.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { TransferList } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'

/** A module exports this as `createProtocols`. */
export type CreateProtocols = (parts: ProtocolModuleParts) => Promise<ModuleProtocols>

export interface ProtocolModuleParts {
  /** The config from main, cloned. */
  readonly config: unknown
  /** A line to the module's owner on main; `connectPort` makes a channel of it. */
  readonly line: LinePort
  readonly clock: Clock
  readonly log: Log
  /** The metrics of this thread, shown with those of the node. */
  readonly metrics: Metrics
}

export interface ModuleProtocols {
  readonly protocols: readonly PeerProtocol[]
  /** If absent, nothing is announced about forks, and every node is accepted. */
  readonly forks?: Forks
  /** Called after the last peer is gone. */
  stop?(): Promise<void> | void
}

/** The forks of our chain, for node records. */
export interface Forks {
  /** Null if nothing is announced. */
  current(): ForkId | null
  accepts(forkId: ForkId): boolean
}

/** A protocol module as main names it. */
export interface ProtocolModule {
  /** `import.meta.resolve('#room/file.ts')` */
  readonly module: string
  /**
   * Called with main's end of the line whenever the thread starts, including restarts. Returns the config and its transfer
   * list. The line closes when the thread ends.
   */
  readonly begin: (line: LinePort) => { readonly config: unknown; readonly transfer?: TransferList }
}

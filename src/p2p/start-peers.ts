/** The door of the room: connections and discovery with one identity, started and stopped together. */

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'
import { Discovery, enodeOf } from './discv4/discovery.ts'
import { encodeRecord, formatRecord } from './discv4/node-record.ts'
import { OwnRecord } from './discv4/own-record.ts'
import type { Neighbor } from './discv4/packet.ts'
import { scheduleDiscovery } from './discv4/schedule-discovery.ts'
import { openUdp } from './discv4/udp.ts'
import { failClosed, type MayConnect } from './may-connect.ts'
import { type PeerRules, withinRules } from './peer-rules.ts'
import { PeerNetwork, type PeerNetworkSettings } from './peers/peer-network.ts'
import type { PeerProtocol } from './peers/protocol.ts'
import type { HandshakeParts } from './rlpx/handshake.ts'
import { resolveHost } from './static-nodes.ts'
import type { Forks } from './threads/protocol-module.ts'

export interface PeersConfig extends PeerNetworkSettings {
  /** Where this node says that it is. */
  readonly advertisedIp: string
  /** Null: no discovery. 0: any port that is free. */
  readonly udpPort: number | null
  readonly bootnodes: readonly Enode[]
  readonly retriesBootnodes: boolean
}

export interface PeersParts {
  readonly handshake: HandshakeParts
  readonly clock: Clock
  readonly log: Log
  readonly protocols: readonly PeerProtocol[]
  /** What this node knows itself. */
  readonly rules: PeerRules
  /** Others who have a say. */
  readonly mayConnect: MayConnect
  readonly forks: Forks
}

export interface RunningPeers {
  readonly network: PeerNetwork
  readonly enode: Enode
  /** `enr:…` */
  record(): string
  /** Nodes that discovery knows. */
  discovered(): readonly Enode[]
  /** The rules have changed: whom they do not permit is disconnected and forgotten. */
  recheck(): Promise<void>
  stop(): Promise<void>
}

/** Rejects when a port is taken; nothing is open then. */
export async function startPeers(config: PeersConfig, parts: PeersParts): Promise<RunningPeers> {
  const { handshake, clock, log } = parts
  const { rules } = parts
  const mayConnect = withinRules(rules, failClosed(parts.mayConnect, clock, log))
  const id = formatDigits(await handshake.nodeKey.publicKey())
  let discovered: () => readonly Enode[] = () => []
  const network = new PeerNetwork({
    handshake,
    clock,
    log,
    protocols: parts.protocols,
    mayConnect,
    mayAccept: (ip) => rules.permitsAddress(ip),
    mayAnswer: (id, ip) => rules.permitsHost(id, ip),
    candidates: () => discovered(),
    resolve: resolveHost,
    settings: config,
  })
  await network.start()
  try {
    const self: Neighbor = {
      id,
      ip: config.advertisedIp,
      udpPort: config.udpPort === 0 ? network.tcpPort : (config.udpPort ?? 0),
      tcpPort: network.tcpPort,
    }
    const { nodeKey, keccak } = handshake
    const record = await OwnRecord.create(
      (news) => encodeRecord(nodeKey, keccak, { ...recordPlaces(self), ...news }),
      () => parts.forks.current(),
      clock,
      log,
    )
    const discovery = await startDiscovery(config, { ...parts, mayConnect }, self, record)
    discovered = () => discovery?.nodes() ?? []
    return {
      network,
      enode: enodeOf(self),
      record: () => formatRecord(record.encoded),
      discovered: () => discovered(),
      recheck: async () => {
        await network.recheck()
        await discovery?.recheck()
      },
      stop: async () => {
        record.stop()
        await discovery?.stop()
        await network.stop()
      },
    }
  } catch (error) {
    await network.stop()
    throw error
  }
}

interface RunningDiscovery {
  nodes(): readonly Enode[]
  recheck(): Promise<void>
  stop(): Promise<void>
}

async function startDiscovery(
  config: PeersConfig,
  parts: PeersParts,
  self: Neighbor,
  record: { readonly encoded: Uint8Array; readonly sequence: bigint },
): Promise<RunningDiscovery | undefined> {
  if (config.udpPort === null) return undefined
  const { handshake, clock, log, mayConnect, forks } = parts
  const discovery = new Discovery({
    ...handshake,
    id: self.id,
    clock,
    log,
    mayConnect,
    self: () => self,
    record: () => record,
    acceptsFork: (forkId) => forks.accepts(forkId),
  })
  const port = await openUdp(config.host, self.udpPort, (bytes, ip, udpPort) => {
    void discovery.receive(bytes, ip, udpPort)
  })
  discovery.attach(port)
  const bootnodes = config.bootnodes.flatMap(({ id, host, hostKind, udpPort, tcpPort }) =>
    hostKind === 'name' || udpPort === null ? [] : [{ id, ip: host, udpPort, tcpPort: tcpPort ?? 0 }],
  )
  const schedule = scheduleDiscovery(discovery, self.id, bootnodes, config.retriesBootnodes, clock, log)
  return {
    nodes: () => discovery.nodes().map(enodeOf),
    recheck: () => discovery.recheck(),
    stop: async () => {
      schedule.stop()
      discovery.detach()
      await port.close()
    },
  }
}

function recordPlaces({ ip, tcpPort, udpPort }: Neighbor) {
  const places = { ip: null, tcpPort: null, udpPort: null, ip6: null, tcp6Port: null, udp6Port: null }
  return ip.includes(':')
    ? { ...places, ip6: ip, tcp6Port: tcpPort, udp6Port: udpPort || null }
    : { ...places, ip, tcpPort, udpPort: udpPort || null }
}

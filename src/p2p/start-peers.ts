/** Starts and stops connections and discovery with one identity. */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { Discovery, enodeOf } from './discv4/discovery.ts'
import { encodeRecord, type ForkId, formatRecord, type NodeRecord } from './discv4/node-record.ts'
import type { Neighbor } from './discv4/packet.ts'
import { openUdp } from './discv4/udp.ts'
import { dnsLookUp } from './dns/dns-list.ts'
import { LinkedLists } from './dns/linked-lists.ts'
import type { NodeListSource } from './dns/read-node-list.ts'
import { P2P_PROBLEMS } from './log-problems.ts'
import { failClosed, type PeerRules, withinRules } from './peer-rules.ts'
import { PeerNetwork, type PeerNetworkParts, type PeerNetworkSettings } from './peers/peer-network.ts'
import { resolveHost } from './read-nodes.ts'
import type { Forks } from './threads/protocol-module.ts'

export interface PeersConfig extends PeerNetworkSettings {
  readonly advertisedIp: string
  /** Null disables discovery; 0 takes any free port. */
  readonly udpPort: number | null
  readonly bootnodes: readonly Enode[]
  readonly retriesBootnodes: boolean
  /** A node list in DNS; undefined if there is none. */
  readonly nodeList: NodeListSource | undefined
}

/** `mayConnect` is the verdict of plugins. */
export interface PeersParts
  extends Pick<PeerNetworkParts, 'handshake' | 'clock' | 'log' | 'protocols' | 'mayConnect'> {
  /** The rules of this node's options and allowlist. */
  readonly rules: PeerRules
  readonly forks: Forks
}

export interface RunningPeers {
  readonly network: PeerNetwork
  readonly enode: Enode
  /** Formatted as `enr:…`. */
  record(): string
  discovered(): readonly Enode[]
  /** Disconnects and forgets nodes that the rules no longer permit. */
  recheck(): Promise<void>
  stop(): Promise<void>
}

/** Rejects if a port is taken; nothing is left open then. */
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
    const record = await createOwnRecord(
      (fork) => encodeRecord(nodeKey, keccak, { ...recordPlaces(self), ...fork }),
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
  const listing = config.nodeList && scheduleNodeList(discovery, config.nodeList, parts)
  return {
    nodes: () => discovery.nodes().map(enodeOf),
    recheck: () => discovery.recheck(),
    stop: async () => {
      schedule.stop()
      listing?.stop()
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

/** Refresh interval: short after the start, when other nodes start too, then doubled each time. */
const FIRST_REFRESH_MS = 2_000
const LAST_REFRESH_MS = 30_000
const REVALIDATE_MS = 10_000

interface DiscoverySchedule {
  stop(): void
}

/** Keeps the bucket list of discovery full and current. */
function scheduleDiscovery(
  discovery: Discovery,
  self: string,
  bootnodes: readonly Neighbor[],
  retriesBootnodes: boolean,
  clock: Clock,
  log: Log,
): DiscoverySchedule {
  const guarded = (work: Promise<unknown>): void => {
    work.catch((err) => log.error(P2P_PROBLEMS.discoveryFailed, { task: 'look up nodes', err }))
  }
  let isFirst = true
  const refresh = async (): Promise<void> => {
    const known = new Set(discovery.nodes().map(({ id }) => id))
    const asked = isFirst || retriesBootnodes ? bootnodes.filter(({ id }) => !known.has(id)) : []
    isFirst = false
    await Promise.all(asked.map((node) => discovery.ping(node)))
    await discovery.lookup(parseDataLenient(self))
    await discovery.lookupRandom()
  }
  let nextMs = FIRST_REFRESH_MS
  const repeat = (): Timer =>
    clock.after(
      nextMs,
      () => {
        nextMs = Math.min(LAST_REFRESH_MS, nextMs * 2)
        refreshing = repeat()
        guarded(refresh())
      },
      { unref: true },
    )
  guarded(refresh())
  let refreshing = repeat()
  const revalidating = clock.every(REVALIDATE_MS, () => guarded(discovery.revalidate()), { unref: true })
  return {
    stop() {
      refreshing.cancel()
      revalidating.cancel()
    },
  }
}

const LIST_MS = 5 * 60_000
/** With more nodes, discovery finds others by itself. */
const FEW_NODES = 16

/** Asks nodes of a list in DNS while discovery knows few. */
function scheduleNodeList(
  discovery: Discovery,
  { address, server }: NodeListSource,
  { handshake, clock, log }: PeersParts,
): DiscoverySchedule {
  const list = new LinkedLists(address, { ...handshake, clock, lookUp: dnsLookUp(server) })
  const read = async (): Promise<void> => {
    const known = new Set(discovery.nodes().map(({ id }) => id))
    if (known.size >= FEW_NODES) return
    const nodes = await list.sample(FEW_NODES)
    await Promise.all(nodes.filter(({ id }) => !known.has(id)).map((node) => discovery.ping(node)))
  }
  // A slow list may take longer than the interval.
  let isReading = false
  const guarded = (): void => {
    if (isReading) return
    isReading = true
    read()
      .catch((err) => log.warn(P2P_PROBLEMS.nodeListFailed, { domain: address.domain, err }))
      .finally(() => {
        isReading = false
      })
  }
  guarded()
  const reading = clock.every(LIST_MS, guarded, { unref: true })
  return { stop: () => reading.cancel() }
}

/** How often the fork id is compared: other nodes must learn of a fork before they look for nodes on it. */
const LOOK_MS = 10_000

type Encode = (record: Pick<NodeRecord, 'sequence' | 'forkId'>) => ReturnType<typeof encodeRecord>

/** The record of this node, signed again with a higher sequence number after each fork. */
interface OwnRecord {
  readonly encoded: Uint8Array
  readonly sequence: bigint
  stop(): void
}

async function createOwnRecord(
  encode: Encode,
  currentFork: () => ForkId | null,
  clock: Clock,
  log: Log,
): Promise<OwnRecord> {
  // Sequence number and record change together.
  const sign = async (sequence: bigint, forkId: ForkId | null) => {
    return { sequence, forkId, encoded: await encode({ sequence, forkId }) }
  }
  let signed = await sign(BigInt(clock.wallMs()), currentFork())
  const look = async (): Promise<void> => {
    const forkId = currentFork()
    if (!isSameFork(forkId, signed.forkId)) signed = await sign(signed.sequence + 1n, forkId)
  }
  const onError = (err: unknown) => log.error(P2P_PROBLEMS.discoveryFailed, { task: 'sign node record', err })
  const timer = clock.every(LOOK_MS, () => void look().catch(onError), { unref: true })
  return {
    get encoded() {
      return signed.encoded
    },
    get sequence() {
      return signed.sequence
    },
    stop: () => timer.cancel(),
  }
}

function isSameFork(a: ForkId | null, b: ForkId | null): boolean {
  if (a === null || b === null) return a === b
  return a.next === b.next && equalBytes(a.hash, b.hash)
}

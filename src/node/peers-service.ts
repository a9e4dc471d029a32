/** Peers as a service of the node: with the key of the node, as its options say. */
import type { PermittedNodes } from '#allowlist/permitted-nodes.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { HeldKey } from '#node/key/held-key.ts'
import { canonicalIp } from '#p2p/ip-bytes.ts'
import { parseIpRange } from '#p2p/ip-range.ts'
import { MaintainedPeers } from '#p2p/maintained-peers.ts'
import type { MayConnect } from '#p2p/may-connect.ts'
import { peerOptions } from '#p2p/options.ts'
import { parseBannedId } from '#p2p/peer-rules.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { PeersConfig } from '#p2p/start-peers.ts'
import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import { type PeersClients, type PeersThread, startPeersThread } from '#p2p/threads/peers-thread.ts'
import type { ProtocolModule } from '#p2p/threads/protocol-module.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { SupervisedThread, Threads } from '#platform/thread/threads.ts'
import { type Enode, formatEnode } from '#types/enode.ts'
import { parseIpv4, parseIpv6 } from '#types/ip.ts'
import { nodeOptions } from './options.ts'
import { readNamedNodes, readNameRules } from './read-nodes.ts'

/** Longer than a thread may take to start, so that its sentence is the one that is read. */
const START_DEADLINE_MS = 90_000
/** Goodbyes take two seconds and a half at most. */
const STOP_DEADLINE_MS = 10_000

export interface NodePeersParts {
  readonly log: Log
  readonly threads: Threads
  readonly clientVersion: string
  /** Make protocols that run in the thread of peers. */
  readonly modules: readonly ProtocolModule[]
  /** Protocols that run on main. */
  readonly protocols: readonly PeerProtocol[]
  /** Nodes that may connect; undefined: everybody whom options permit. */
  readonly permitted: PermittedNodes | undefined
  /** Who is asked beside; undefined: nobody. */
  readonly mayConnect: MayConnect | undefined
  readonly nodeKey: () => Promise<HeldKey>
  /** Told where others reach this node, for net_services. */
  readonly onListening: (address: { readonly host: string; readonly port: number }) => void
}

/** While the port is open. */
export interface OpenPeers extends SelfReport {
  readonly ports: PeersClients
}

export class NodePeers {
  readonly maintained: MaintainedPeers
  readonly #settings: Settings
  readonly #parts: NodePeersParts
  #open: OpenPeers | undefined
  #isPermitting = false
  #thread: SupervisedThread | undefined

  constructor(settings: Settings, parts: NodePeersParts) {
    this.#settings = settings
    this.#parts = parts
    this.maintained = new MaintainedPeers(
      readNameRules(settings),
      (peer) => parts.permitted?.permits(peer) ?? true,
    )
    parts.permitted?.changed.subscribe(() => this.#permitSoon())
  }

  /** Whether options ask for peers at all. */
  get isEnabled(): boolean {
    return this.#settings.get(nodeOptions.p2pEnabled)
  }

  /** undefined: no port is open. */
  get open(): OpenPeers | undefined {
    return this.#open
  }

  /** In a turn of its own, since a long list takes time to send. */
  #permitSoon(): void {
    if (this.#isPermitting) return
    this.#isPermitting = true
    void nextTurn().then(() => {
      this.#isPermitting = false
      this.#permitOnly(this.#parts.permitted?.all() ?? [])
    })
  }

  #permitOnly(nodes: readonly Enode[]): void {
    this.#open?.ports.peers
      .permitOnly(nodes)
      .catch((err) => this.#parts.log.warn('The thread of peers was not told who may connect.', { err }))
  }

  service(): Service {
    return {
      name: 'peer-to-peer network',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      start: () => this.#start(),
      stop: async () => {
        this.#leave()
        await this.#thread?.stop(STOP_DEADLINE_MS)
      },
    }
  }

  async #start(): Promise<void> {
    const settings = this.#settings
    const { clientVersion, permitted, onListening, nodeKey, ...parts } = this.#parts
    // Mistakes in options are told also where nothing is started.
    const { peers, staticNodes } = await readPeersConfig(settings, clientVersion, parts.log)
    const bannedIds = (settings.get(peerOptions.bannedNodeIds) ?? []).map(parseBannedId)
    const ranges = (settings.get(peerOptions.netRestrict) ?? []).map(parseIpRange)
    if (!this.isEnabled) return
    const { port, privateKey } = await nodeKey()
    const { promise: joined, resolve } = Promise.withResolvers<void>()
    this.#thread = await startPeersThread(
      {
        peers,
        privateKey: privateKey?.reveal() ?? null,
        cryptoModule: import.meta.resolve('#evm/crypto.ts'),
        bannedIds,
        ranges,
        filtersForks: settings.get(peerOptions.filterOnForkId),
      },
      {
        ...parts,
        ...(permitted && { permitted: () => permitted.all() }),
        ...(privateKey === undefined && { nodeKey: port }),
        onStarted: (ports, thread) => resolve(this.#join(ports, thread, staticNodes)),
      },
    )
    await joined
    const { enode, host } = this.#open!
    onListening({ host: enode.host, port: enode.tcpPort! })
    parts.log.info(`Listening for peers on ${host}:${enode.tcpPort}`)
    parts.log.info(`Enode URL ${formatEnode(enode)}`)
  }

  /** A thread is at work: the first, or one in place of another. */
  async #join(ports: PeersClients, thread: PeersThread, staticNodes: readonly Enode[]): Promise<void> {
    const { log, permitted } = this.#parts
    void thread.exited.then(() => this.#leave())
    const self = await ports.peers.self()
    this.#open = { ...self, ports }
    // It may have changed since the thread was told.
    if (permitted !== undefined) this.#permitOnly(permitted.all())
    const lost = (err: unknown) => log.warn('The thread of peers was not told of a node.', { err })
    const network = {
      maintain: (enode: Enode) => void ports.peers.maintain(enode).catch(lost),
      remove: (id: string) => void ports.peers.remove(id).catch(lost),
    }
    this.maintained.attach(network, self.enode.id, staticNodes)
  }

  #leave(): void {
    this.maintained.detach()
    this.#open = undefined
  }
}

async function readPeersConfig(
  settings: Settings,
  clientId: string,
  log: Log,
): Promise<{ readonly peers: PeersConfig; readonly staticNodes: readonly Enode[] }> {
  const get = settings.get.bind(settings)
  warnOfTranslation(settings, log)
  const { bootnodes, staticNodes } = await readNamedNodes(settings)
  const maxPeers = get(peerOptions.maxPeers)
  const share = get(peerOptions.remoteLimitEnabled) ? get(peerOptions.remoteMaxPercentage) / 100 : 1
  const tcpPort = get(peerOptions.port)
  const peers: PeersConfig = {
    host: ipOf(settings, peerOptions.interface),
    advertisedIp: ipOf(settings, peerOptions.host),
    tcpPort,
    udpPort: get(peerOptions.discoveryEnabled) ? (get(peerOptions.discoveryPort) ?? tcpPort) : null,
    clientId,
    maxPeers,
    maxInbound: Math.floor(maxPeers * share),
    bootnodes,
    retriesBootnodes: get(peerOptions.retryBootnodes),
  }
  return { peers, staticNodes }
}

function ipOf(settings: Settings, option: (typeof peerOptions)['host' | 'interface']): string {
  const text = settings.get(option)
  if (parseIpv4(text) === null && parseIpv6(text) === null) {
    throw usageFault(`The provided ${option.flag} is not an IP address: '${text}'.`)
  }
  return canonicalIp(text)
}

function warnOfTranslation(settings: Settings, log: Log): void {
  const method = settings.get(peerOptions.natMethod)
  if (method === 'AUTO' || method === 'NONE') return
  const advice = 'Forward the port by hand and name the outer address with --p2p-host.'
  if (!settings.get(peerOptions.natFallback)) {
    throw usageFault(
      `Cairn does not know the address translation ${method} and was told not to go on. ${advice}`,
    )
  }
  log.warn(`Cairn does not know the address translation ${method} and goes on without. ${advice}`)
}

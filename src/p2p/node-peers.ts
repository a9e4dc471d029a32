/** Runs the peers thread with the node key and the node's options. */
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { HeldKey } from '#p2p/key/held-key.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import { type PeersClients, type PeersThread, startPeersThread } from '#p2p/threads/peers-thread.ts'
import type { ProtocolModule } from '#p2p/threads/protocol-module.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { defineRoom, type RoomLife } from '#platform/room.ts'
import type { Signal } from '#platform/signal.ts'
import type { Threads } from '#platform/thread/threads.ts'
import type { Address } from '#types/address.ts'
import { type Enode, formatEnode } from '#types/enode.ts'
import { parseIpv4, parseIpv6 } from '#types/ip.ts'
import { createLivePeers, type LivePeers } from './contract.ts'
import { readNodeList } from './dns/read-node-list.ts'
import { canonicalIp, parseIpRange } from './ip-bytes.ts'
import { P2P_PROBLEMS } from './log-problems.ts'
import { MaintainedPeers } from './maintained-peers.ts'
import { peerOptions } from './options.ts'
import { type MayConnect, parseBannedId } from './peer-rules.ts'
import type { PeerReport } from './peers/peer-network.ts'
import { readNamedNodes, readNameRules } from './read-nodes.ts'
import type { PeersConfig } from './start-peers.ts'

/** Longer than a thread may take to start, so the thread's own error is reported. */
const START_DEADLINE_MS = 90_000
/** Disconnecting takes at most 2.5 s. */
const STOP_DEADLINE_MS = 10_000

interface PermittedPeers {
  readonly changed: Pick<Signal<unknown>, 'subscribe'>
  all(): readonly Enode[]
  permits(peer: Enode): boolean
}

interface PeersNeeds {
  readonly peers: NodePeers
  readonly threads: Threads
  readonly clientVersion: string
  /** Modules whose protocols run in the peers thread. */
  readonly modules: readonly ProtocolModule[]
  /** Protocols that run on main. */
  readonly protocols: readonly PeerProtocol[]
  /** A plugin's verdict, asked in addition to the allowlist; undefined if there is none. */
  readonly mayConnect: MayConnect | undefined
  readonly nodeKey: () => Promise<HeldKey>
}

/** Returns the advertised endpoint of this node; undefined if peers are disabled. */
export const PEERS_ROOM = defineRoom({
  name: 'peer-to-peer network',
  startDeadlineMs: START_DEADLINE_MS,
  stopDeadlineMs: STOP_DEADLINE_MS,
  start: ({ peers, ...needs }: PeersNeeds, life) => peers.start(needs, life),
})

/** The peers thread while it runs. */
export interface OpenPeers extends SelfReport {
  readonly clients: PeersClients
}

/** The peers of this node. Their thread may be missing until it is restarted. */
export class NodePeers {
  readonly maintained: MaintainedPeers
  readonly live: LivePeers
  readonly #settings: Settings
  readonly #log: Log
  /** If undefined, every peer that the options permit may connect. */
  readonly #permitted: PermittedPeers | undefined
  #open: OpenPeers | undefined
  #isPermitting = false
  #expected: readonly Address[] = []

  constructor(settings: Settings, permitted: PermittedPeers | undefined, log: Log) {
    this.#settings = settings
    this.#permitted = permitted
    this.#log = log
    this.maintained = new MaintainedPeers(readNameRules(settings), (peer) => permitted?.permits(peer) ?? true)
    this.live = createLivePeers({
      isEnabled: this.isEnabled,
      network: () => this.#open?.clients.peers,
      maintained: this.maintained,
    })
    permitted?.changed.subscribe(() => this.#permitSoon())
  }

  /** Whether the options enable peers. */
  get isEnabled(): boolean {
    return this.#settings.get(peerOptions.enabled)
  }

  /** Nodes of these addresses connect beyond the limits; they replace the earlier ones. */
  expect(addresses: readonly Address[]): void {
    this.#expected = addresses
    this.#passExpected()
  }

  #passExpected(): void {
    this.#open?.clients.peers.expect(this.#expected).catch((err) => {
      // The next height and a successor of the thread pass them again.
      this.#log.warn(P2P_PROBLEMS.messageLost, { request: 'expect', err })
    })
  }

  async reports(): Promise<readonly PeerReport[]> {
    return (await this.#open?.clients.peers.all()) ?? []
  }

  /** Runs in its own turn, since a long list takes time to send. */
  #permitSoon(): void {
    if (this.#isPermitting) return
    this.#isPermitting = true
    void nextTurn().then(() => {
      this.#isPermitting = false
      this.#permitOnly(this.#permitted?.all() ?? [])
    })
  }

  #permitOnly(nodes: readonly Enode[]): void {
    this.#open?.clients.peers
      .permitOnly(nodes)
      .catch((err) => this.#log.warn(P2P_PROBLEMS.permissionsNotUpdated, { err }))
  }

  async start(
    { clientVersion, nodeKey, ...parts }: Omit<PeersNeeds, 'peers'>,
    { onStop }: RoomLife,
  ): Promise<{ readonly host: string; readonly port: number } | undefined> {
    const settings = this.#settings
    const log = this.#log
    const permitted = this.#permitted
    // Option errors are reported even if peers are disabled.
    const { peers, staticNodes } = await readPeersConfig(settings, clientVersion, log)
    const bannedIds = (settings.get(peerOptions.bannedNodeIds) ?? []).map(parseBannedId)
    const ranges = (settings.get(peerOptions.netRestrict) ?? []).map(parseIpRange)
    if (!this.isEnabled) return undefined
    const { holder, privateKey } = await nodeKey()
    const { promise: joined, resolve } = Promise.withResolvers<OpenPeers>()
    const thread = await startPeersThread(
      {
        peers,
        privateKey: privateKey?.reveal() ?? null,
        bannedIds,
        ranges,
        options: settings.all(peerOptions),
      },
      {
        ...parts,
        log,
        ...(permitted && { permitted: () => permitted.all() }),
        ...(privateKey === undefined && { nodeKey: holder }),
        onStarted: (clients, started) => resolve(this.#join(clients, started, staticNodes)),
      },
    )
    onStop(async () => {
      this.#leave()
      await thread.stop(STOP_DEADLINE_MS)
    })
    const { enode, host } = await joined
    log.info('Listening for peers', { host, port: enode.tcpPort })
    log.info(`Enode URL ${formatEnode(enode)}`)
    return { host: enode.host, port: enode.tcpPort! }
  }

  /** Adopts a started thread: the first one or a replacement. */
  async #join(clients: PeersClients, thread: PeersThread, staticNodes: readonly Enode[]): Promise<OpenPeers> {
    const [log, permitted] = [this.#log, this.#permitted]
    void thread.exited.then(() => this.#leave())
    const self = await clients.peers.self()
    const open = { ...self, clients }
    this.#open = open
    // The list may have changed since the thread started.
    if (permitted !== undefined) this.#permitOnly(permitted.all())
    this.#passExpected()
    const lost = (err: unknown) => log.warn(P2P_PROBLEMS.nodeNotPassed, { err })
    const network = {
      maintain: (enode: Enode) => void clients.peers.maintain(enode).catch(lost),
      remove: (id: string) => void clients.peers.remove(id).catch(lost),
    }
    this.maintained.attach(network, self.enode.id, staticNodes)
    return open
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
    nodeList: readNodeList(settings),
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
  const advice = 'Forward the port by hand and set --p2p-host to the outer address.'
  if (!settings.get(peerOptions.natFallback)) {
    throw usageFault(
      `Cairn does not support --nat-method=${method}, and --Xnat-method-fallback-enabled is false. ${advice}`,
    )
  }
  log.warn(P2P_PROBLEMS.natUnsupported, { method })
}

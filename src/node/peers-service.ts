/** Peers as a service of the node: with the key of the node, as its options say. */
import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { ForkId } from '#p2p/discv4/node-record.ts'
import { canonicalIp } from '#p2p/ip-bytes.ts'
import { parseIpRange } from '#p2p/ip-range.ts'
import { MaintainedPeers } from '#p2p/maintained-peers.ts'
import { EVERYONE_MAY, type MayConnect } from '#p2p/may-connect.ts'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { peerOptions } from '#p2p/options.ts'
import { filterPeers, parseBannedId } from '#p2p/peer-filter.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import { type PeersConfig, type RunningPeers, startPeers } from '#p2p/start-peers.ts'
import { type NameRules, parseNode, parseStaticNodes, resolveHost } from '#p2p/static-nodes.ts'
import type { Clock } from '#platform/clock.ts'
import { loadRunningKeccak } from '#platform/fast-keccak.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import type { Enode } from '#types/enode.ts'
import { parseIpv4, parseIpv6 } from '#types/ip.ts'
import { loadNodeKey } from './node-key.ts'
import { nodeOptions } from './options.ts'

const START_DEADLINE_MS = 30_000
/** Goodbyes take two seconds and a half at most. */
const STOP_DEADLINE_MS = 10_000
const STATIC_NODES = 'static-nodes.json'
const MAX_FILE_BYTES = 1024 * 1024

export interface NodePeersParts {
  readonly clock: Clock
  readonly log: Log
  readonly clientVersion: string
  /** What peers are for. Without one there is nothing to say to them, and no port is opened. */
  readonly protocols: readonly PeerProtocol[]
  readonly mayConnect?: MayConnect
  readonly forkId: ForkId | null
  readonly acceptsFork: (forkId: ForkId) => boolean
}

export class NodePeers {
  readonly maintained: MaintainedPeers
  readonly #settings: Settings
  readonly #parts: NodePeersParts
  #running: RunningPeers | undefined

  constructor(settings: Settings, parts: NodePeersParts) {
    this.#settings = settings
    this.#parts = parts
    this.maintained = new MaintainedPeers(settings.get(peerOptions.dnsEnabled))
  }

  /** Whether options ask for peers at all. */
  get isEnabled(): boolean {
    return this.#settings.get(nodeOptions.p2pEnabled)
  }

  /** undefined: no port is open. */
  get running(): RunningPeers | undefined {
    return this.#running
  }

  service(): Service {
    return {
      name: 'peer-to-peer network',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      start: () => this.#start(),
      stop: async () => {
        this.maintained.detach()
        await this.#running?.stop()
        this.#running = undefined
      },
    }
  }

  async #start(): Promise<void> {
    const settings = this.#settings
    const { clock, log, protocols, mayConnect = EVERYONE_MAY, ...forks } = this.#parts
    // Mistakes in options are told also where nothing is started.
    const config = await readPeersConfig(settings, this.#parts.clientVersion, log)
    const banned = new Set((settings.get(peerOptions.bannedNodeIds) ?? []).map(parseBannedId))
    const ranges = (settings.get(peerOptions.netRestrict) ?? []).map(parseIpRange)
    if (!settings.get(nodeOptions.p2pEnabled) || protocols.length === 0) return
    const crypto = await loadCrypto()
    this.#running = await startPeers(config, {
      clock,
      log,
      protocols,
      forkId: forks.forkId,
      acceptsFork: (forkId) => !settings.get(peerOptions.filterOnForkId) || forks.acceptsFork(forkId),
      mayConnect: filterPeers(mayConnect, banned, ranges),
      handshake: {
        nodeKey: createLocalNodeKey(loadNodeKey(settings).privateKey),
        keccak: crypto.keccak,
        recover: crypto.recover,
        createRunningKeccak: await loadRunningKeccak(),
        random: systemRandom,
      },
    })
    const { network, enode } = this.#running
    this.maintained.attach(network, enode.id, config.staticNodes)
    log.info(`Listening for peers on ${config.host}:${network.tcpPort}`)
  }
}

export async function readPeersConfig(settings: Settings, clientId: string, log: Log): Promise<PeersConfig> {
  const get = settings.get.bind(settings)
  warnOfTranslation(settings, log)
  const names: NameRules = {
    areAllowed: get(peerOptions.dnsEnabled),
    areKept: get(peerOptions.dnsUpdateEnabled),
    resolve: resolveHost,
  }
  const maxPeers = get(peerOptions.maxPeers)
  const share = get(peerOptions.remoteLimitEnabled) ? get(peerOptions.remoteMaxPercentage) / 100 : 1
  const tcpPort = get(peerOptions.port)
  return {
    host: ipOf(settings, peerOptions.interface),
    advertisedIp: ipOf(settings, peerOptions.host),
    tcpPort,
    udpPort: get(peerOptions.discoveryEnabled) ? (get(peerOptions.discoveryPort) ?? tcpPort) : null,
    clientId,
    maxPeers,
    maxInbound: Math.floor(maxPeers * share),
    bootnodes: await readBootnodes(get(peerOptions.bootnodes) ?? [], names),
    retriesBootnodes: get(peerOptions.retryBootnodes),
    staticNodes: await readStaticNodes(settings, names),
  }
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

/** An entry is an enode URL, or a file with one on each line and comments after #. */
async function readBootnodes(entries: readonly string[], names: NameRules): Promise<readonly Enode[]> {
  const urls = entries.flatMap((entry) => {
    if (/^https?:/i.test(entry)) {
      throw usageFault(`--bootnodes: Cairn loads no lists from the web; save ${entry} and name the file.`)
    }
    const file = entry.replace(/^file:\/\//i, '')
    if (/^(enode|enr):/i.test(entry) || kindOfPath(file) !== 'file') return [entry]
    const lines = readTextBounded(file, MAX_FILE_BYTES).split('\n')
    return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
  })
  return await Promise.all(
    urls.map(async (url) => {
      const enode = await parseNode(url, '--bootnodes', names)
      if (enode.udpPort !== null) return enode
      throw usageFault(`Bootnodes must have discovery enabled. Invalid bootnodes: ${url}.`)
    }),
  )
}

async function readStaticNodes(settings: Settings, names: NameRules): Promise<readonly Enode[]> {
  const named = settings.get(peerOptions.staticNodesFile)
  const file = named ?? join(settings.get(nodeOptions.dataPath), STATIC_NODES)
  if (kindOfPath(file) !== 'file') {
    if (named === undefined) return []
    throw usageFault(`Static nodes file does not exist: ${named}. Correct the path, or leave the option out.`)
  }
  return await parseStaticNodes(readTextBounded(file, MAX_FILE_BYTES), file, names)
}

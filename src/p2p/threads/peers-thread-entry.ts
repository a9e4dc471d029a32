/* Entry of the peers thread: sockets, RLPx, discovery, and the protocols that run there. */

import { loadCrypto } from '#evm/crypto.ts'
import { createLocalNodeKey, type NodeKeyHolder } from '#p2p/node-key.ts'
import { addPeerMetrics, NODE_CHECKS } from '#p2p/peer-metrics.ts'
import { EVERYONE_MAY, PeerRules } from '#p2p/peer-rules.ts'
import type { HandshakeParts } from '#p2p/rlpx/handshake.ts'
import { type RunningPeers, startPeers } from '#p2p/start-peers.ts'
import { boundGarbage } from '#platform/bound-memory.ts'
import { systemClock } from '#platform/clock.ts'
import { answerContracts, askContracts, type ClientsOf, type OwnerOf } from '#platform/contract.ts'
import { loadRunningKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { createCheckCounter } from '#platform/metrics/check-counter.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { systemRandom } from '#platform/random.ts'
import { Later } from '#platform/room.ts'
import { Secret } from '#platform/secret.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import { LinkCarrier } from './carry-protocol.ts'
import {
  CARRIER_CONTRACTS,
  type LoadedModule,
  PEERS_CONTRACTS,
  type PeersThreadConfig,
} from './peers-protocol.ts'
import type { PEERS } from './peers-thread.ts'
import type { CreateProtocols, Forks, ModuleProtocols } from './protocol-module.ts'

const NO_FORKS: Forks = { current: () => null, accepts: () => true }

runReportingThread<typeof PEERS>(async ({ data: config, log: rootLog, metrics, connect }) => {
  boundGarbage(systemClock)
  const log = rootLog.child('p2p')
  const onCheck = createCheckCounter(metrics, NODE_CHECKS)
  const rules = new PeerRules(config.bannedIds, config.ranges, config.permitted, onCheck)
  // Connected first, because a handshake may need the key that main holds.
  const later = new Later<RunningPeers>('the peer network')
  const carrier = new LinkCarrier(() => main.protocols)
  const owners = { peers: ownPeers(config, rules, () => later.get()), links: carrier.owner() }
  const channel = connect({ requests: answerContracts(PEERS_CONTRACTS, owners), streams: {} })
  const main: ClientsOf<typeof CARRIER_CONTRACTS> = askContracts(CARRIER_CONTRACTS, channel)
  const made = await Promise.all(config.modules.map((module) => load(module, rootLog, metrics)))
  const forks = made.find((each) => each.forks !== undefined)?.forks ?? NO_FORKS
  const running = await startPeers(config.peers, {
    clock: systemClock,
    log,
    protocols: [
      ...made.flatMap(({ protocols }) => protocols),
      ...config.carried.map((carried, place) => carrier.protocol(carried, place)),
    ],
    forks: config.options.filterOnForkId ? forks : { ...NO_FORKS, current: () => forks.current() },
    rules,
    mayConnect: config.asksWhoMayConnect ? main.permissions.mayConnect : EVERYONE_MAY,
    handshake: await loadHandshake(config, main.key),
  })
  later.arrive(running)
  addPeerMetrics(metrics, running.network, config.peers.maxPeers)
  return {
    async stop() {
      await running.stop()
      for (const module of made) await module.stop?.()
    },
  }
})

async function load(
  { module, config, line }: LoadedModule,
  log: Log,
  metrics: Metrics,
): Promise<ModuleProtocols> {
  const { createProtocols }: { readonly createProtocols: CreateProtocols } = await import(module)
  return await createProtocols({ config, line, clock: systemClock, log, metrics })
}

async function loadHandshake(
  { privateKey }: PeersThreadConfig,
  onMain: NodeKeyHolder,
): Promise<HandshakeParts> {
  const { keccak, recover, sign } = await loadCrypto()
  return {
    nodeKey: privateKey === null ? onMain : createLocalNodeKey(new Secret(privateKey), sign),
    keccak,
    recover,
    createRunningKeccak: loadRunningKeccak(),
    random: systemRandom,
  }
}

function ownPeers(
  { peers: { host } }: PeersThreadConfig,
  rules: PeerRules,
  running: () => RunningPeers,
): OwnerOf<(typeof PEERS_CONTRACTS)['peers']> {
  return {
    self: () => ({ enode: running().enode, record: running().record(), host }),
    count: () => running().network.peerCount,
    all: () => running().network.peers(),
    failedDials: () => running().network.failedDials(),
    maintain: (enode) => running().network.maintain(enode),
    remove: (id) => running().network.remove(id),
    expect: (addresses) => running().network.expect(addresses),
    permitOnly: (nodes) => {
      rules.permitOnly(nodes)
      return running().recheck()
    },
  }
}

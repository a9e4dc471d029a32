/** The node under attack, in a process of its own, so that what it feels can be told from what attackers feel. */
import { loadCrypto } from '#evm/crypto.ts'
import { EVERYONE_MAY } from '#p2p/may-connect.ts'
import { testProtocol } from '#p2p/peers/peers.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { startPeers } from '#p2p/start-peers.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { formatEnode } from '#types/enode.ts'

export interface Feeling {
  readonly rssBytes: number
  /**
   * The longest that the node computed without giving others their turn, since the last question. Computing time, and not
   * time on the wall, in which a busy machine lets everybody wait.
   */
  readonly lagMs: number
  readonly sockets: number
  readonly peers: number
  readonly cpuMs: number
}

const node = await testNode(systemRandom)
const { recover } = await loadCrypto()
const running = await startPeers(
  {
    host: '127.0.0.1',
    advertisedIp: '127.0.0.1',
    tcpPort: 0,
    udpPort: 0,
    clientId: 'target',
    maxPeers: 25,
    maxInbound: 25,
    bootnodes: [],
    retriesBootnodes: true,
    staticNodes: [],
  },
  {
    handshake: { ...node.parts, recover },
    clock: systemClock,
    log: createLog({ level: 'OFF' }),
    protocols: [testProtocol()],
    mayConnect: EVERYONE_MAY,
    forkId: null,
    acceptsFork: () => true,
  },
)
let lagMs = 0
let lastMs = threadMs()
setInterval(() => {
  const nowMs = threadMs()
  lagMs = Math.max(lagMs, nowMs - lastMs)
  lastMs = nowMs
}, 5)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const feeling: Feeling = {
    rssBytes: process.memoryUsage.rss(),
    lagMs,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
    peers: running.network.peerCount,
    cpuMs: (user + system) / 1_000,
  }
  lagMs = 0
  process.send!(feeling)
})
process.send!(formatEnode(running.enode))

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

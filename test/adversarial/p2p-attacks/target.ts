/** The node under attack, in a process of its own, so that what it feels can be told from what attackers feel. */
import { loadCrypto } from '#evm/crypto.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { formatEnode } from '#types/enode.ts'

export interface Feeling {
  /** Before anything is collected. */
  readonly rssBytes: number
  /** The heap and what it refers to outside, collected before if Node was started with --expose-gc. */
  readonly heldBytes: number
  /**
   * The longest that the node computed without giving others their turn, since the last question. Computing time, and not
   * time on the wall, in which a busy machine lets everybody wait.
   */
  readonly lagMs: number
  readonly sockets: number
  readonly peers: number
  readonly cpuMs: number
  /** Sockets, timers and whatever else the process holds open. */
  readonly handles: number
  /** Collected before, where Node was started with --expose-gc. */
  readonly heapBytes: number
}

const host = process.argv[2] ?? '127.0.0.1'
const { recover } = await loadCrypto()
const { running } = await startTestPeers({ clientId: 'target', host, advertisedIp: host }, { recover })
let lagMs = 0
let lastMs = threadMs()
setInterval(() => {
  const nowMs = threadMs()
  lagMs = Math.max(lagMs, nowMs - lastMs)
  lastMs = nowMs
}, 5)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const rssBytes = process.memoryUsage.rss()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const feeling: Feeling = {
    rssBytes,
    heldBytes: heapUsed + external,
    lagMs,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
    peers: running.network.peerCount,
    cpuMs: (user + system) / 1_000,
    handles: process.getActiveResourcesInfo().length,
    heapBytes: heapUsed,
  }
  lagMs = 0
  lastMs = threadMs()
  process.send!(feeling)
})
process.send!(formatEnode(running.enode))

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The node under attack, in its own process, so its resource usage is separate from the attackers'. */
import { loadCrypto } from '#evm/crypto.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { formatEnode } from '#types/enode.ts'

export interface Feeling {
  /** Resident memory before a collection. */
  readonly rssBytes: number
  /** The heap and the memory it refers to, after a collection if Node was started with --expose-gc. */
  readonly heldBytes: number
  /**
   * The longest time that the node computed without yielding since the last report. This is CPU time, because wall
   * time includes other programs on a busy machine.
   */
  readonly lagMs: number
  readonly sockets: number
  readonly peers: number
  readonly cpuMs: number
  /** Sockets, timers and other handles that the process holds open. */
  readonly handles: number
  /** Heap after a collection, if Node was started with --expose-gc. */
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

/**
 * npm run bench -- gossip [--seconds 60 --peers 100 --rate 2000] measures how many peers affect the main thread.
 * Peers send transactions to a node with a peers thread (gossip-protocol.ts). Meanwhile main sends consensus
 * messages, and a peer returns each of them. Then 100 MB are queued for one peer, and a consensus message has to
 * overtake them.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { defaultsOf } from '#config/option.ts'
import { peerOptions } from '#p2p/options.ts'
import { type PeersClients, startPeersThread } from '#p2p/threads/peers-thread.ts'
import type { Channel } from '#platform/channel/channel-protocol.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { Threads } from '#platform/thread/threads.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import { formatEnode } from '#types/enode.ts'
import type { GossipOrder } from './gossip-peers.ts'
import type { GossipOffers } from './gossip-protocol.ts'
import { benchProtocol } from './p2p-node.ts'

const LAG_MAX_MS = 20
const OVERTAKES_MAX_MS = 100
const BULK_BYTES = 100_000_000
const PROCESSES = 4
const CONSENSUS_MS = 100
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    peers: { type: 'string', default: '100' },
    rate: { type: 'string', default: '2000' },
  },
})
const [seconds, peerCount, rate] = [values.seconds, values.peers, values.rate].map(Number) as [
  number,
  number,
  number,
]

let transactions = 0
const trips: number[] = []
let sentMs = 0
const bft = benchProtocol('bft', () => void trips.push(systemClock.monotonicMs() - sentMs))
const log = createLog({ level: 'WARN' })

const idle = await lagOf(2_000)
const { ports, stop } = await startNode()
const self = formatEnode((await ports.peers.self()).enode)
const before = process.memoryUsage.rss()
const children = await Promise.all(
  Array.from({ length: PROCESSES }, () => startPeers(peerCount / PROCESSES, rate / PROCESSES)),
)
const beats = systemClock.every(CONSENSUS_MS, () => {
  sentMs = systemClock.monotonicMs()
  bft.links[Math.floor(trips.length % bft.links.length)]?.send(0, new Uint8Array(200), 'urgent')
})
const [counted, cpu] = [transactions, process.cpuUsage()]
const busy = await lagOf(seconds * 1_000)
const { user, system } = process.cpuUsage(cpu)
beats.cancel()
const grown = (process.memoryUsage.rss() - before) / 1e6
console.log(
  `${bft.links.length} peers, ${((transactions - counted) / seconds).toFixed(0)} transactions per second`,
)
console.log(`main's event loop, p99 lag: ${busy} ms (${idle} ms without peers; limit ${LAG_MAX_MS} ms)`)
console.log(`round trip of a consensus message: median ${share(trips, 0.5)} ms, p99 ${share(trips, 0.99)} ms`)
console.log(`CPU of the node: ${(((user + system) / 1e6 / seconds) * 100).toFixed(0)} % of a core`)
console.log(`memory: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB, grown by ${grown.toFixed(0)} MB`)
await endAll(children)
await stop()

const overtaken = await overtake()
const isMet = Number(busy) < LAG_MAX_MS && overtaken < OVERTAKES_MAX_MS
console.log(isMet ? 'All limits are met.' : 'A limit is exceeded.')
process.exit(isMet ? 0 : 1)

/** The message waits only for the bytes that the socket has already taken. */
async function overtake(): Promise<number> {
  const node = await startNode()
  const child = await startPeers(1, 0, formatEnode((await node.ports.peers.self()).enode))
  const arrival = once(child, 'message') as Promise<[{ arrivedMs: number; bulkBytes: number }]>
  const queued = await node.line().request('queueBulk', BULK_BYTES)
  const nowMs = systemClock.monotonicMs()
  bft.links.at(-1)!.send(0, new Uint8Array(200), 'urgent')
  const [{ arrivedMs, bulkBytes }] = await arrival
  const tookMs = arrivedMs - nowMs
  console.log(
    `with ${queued / 1e6} MB queued for the same peer, a consensus message arrived after ${tookMs.toFixed(1)} ms, behind ${bulkBytes / 1e6} MB (limit ${OVERTAKES_MAX_MS} ms)`,
  )
  await endAll([child])
  await node.stop()
  return tookMs
}

async function startNode() {
  let ports: PeersClients | undefined
  let line: Channel<Record<never, never>, GossipOffers> | undefined
  const thread = await startPeersThread(
    {
      peers: {
        host: '127.0.0.1',
        advertisedIp: '127.0.0.1',
        tcpPort: 0,
        udpPort: null,
        clientId: 'bench',
        maxPeers: 1_000,
        maxInbound: 1_000,
        bootnodes: [],
        retriesBootnodes: true,
        nodeList: undefined,
        sendLimits: { bulkMaxBytes: 2 * BULK_BYTES, urgentMaxBytes: BULK_BYTES, messagesMax: 10_000 },
      },
      privateKey: privateKeyFromRandom('secp256k1', systemRandom.randomBytes(KEY_RANDOM_BYTES)),
      bannedIds: [],
      ranges: [],
      options: { ...defaultsOf(peerOptions), filterOnForkId: false },
    },
    {
      log,
      threads: new Threads({
        clock: systemClock,
        rootLog: log,
        reporting: { log: { level: 'WARN' }, metricsPrefix: 'cairn_' },
      }),
      modules: [
        {
          module: import.meta.resolve('./gossip-protocol.ts'),
          begin: (port) => {
            line = connectPort(
              port,
              {},
              { clock: systemClock, onError: (err) => log.relay('ERROR', 'Line failed', { err }) },
            )
            line.onEvent('transactions', (batch) => {
              transactions += batch.length
            })
            return { config: null }
          },
        },
      ],
      protocols: [bft.protocol],
      mayConnect: undefined,
      onStarted: (started) => {
        ports = started
      },
    },
  )
  return { ports: ports!, line: () => line!, stop: () => thread.stop(10_000) }
}

async function startPeers(peers: number, perSecond: number, enode = self): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'gossip-peers.ts'))
  child.send({ enode, peers, perSecond } satisfies GossipOrder)
  await once(child, 'message')
  return child
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.kill()
  await Promise.all(ended)
}

/** The 99th percentile of event loop turns, in milliseconds. */
async function lagOf(ms: number): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await new Promise((resolve) => void systemClock.after(ms, () => resolve(undefined)))
  delay.disable()
  return (delay.percentile(99) / 1e6).toFixed(1)
}

function share(times: number[], part: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(1)
}

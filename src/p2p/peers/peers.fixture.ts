import { afterEach } from 'node:test'
/** Nodes on loopback that speak a test protocol, on a real clock. */
import { EVERYONE_MAY } from '#p2p/peer-rules.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { type Clock, repeat, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'
import { PeerNetwork, type PeerNetworkParts, type PeerNetworkSettings } from './peer-network.ts'
import type { PeerIdentity, PeerLink, PeerProtocol } from './protocol.ts'

export interface Heard {
  readonly from: PeerIdentity
  readonly code: number
  readonly data: Uint8Array
}

export interface TestProtocol extends PeerProtocol {
  readonly heard: Heard[]
  readonly links: PeerLink[]
}

const LIMIT = { maxBytes: 16 * 1024 * 1024 - 2, perSecond: 100_000 }

/** Uses codes 0 to 3; 4 is reserved. */
export function testProtocol(
  name = 'test',
  version = 1,
  onMessage?: (heard: Heard) => void | Promise<void>,
): TestProtocol {
  const heard: Heard[] = []
  const links: PeerLink[] = []
  return {
    name,
    version,
    messageCount: 5,
    heard,
    links,
    limitOf: (code) => (code < 4 ? LIMIT : undefined),
    connect(link) {
      links.push(link)
      return {
        onMessage(code, data) {
          const message = { from: link.peer, code, data }
          heard.push(message)
          return onMessage?.(message)
        },
        onClose: () => void links.splice(links.indexOf(link), 1),
      }
    },
  }
}

export async function testPeers(
  protocols: readonly PeerProtocol[],
  settings: Partial<PeerNetworkSettings> = {},
  parts: Partial<PeerNetworkParts> = {},
) {
  const node = await testNode(systemRandom)
  const network = new PeerNetwork({
    handshake: node.parts,
    clock: systemClock,
    log: createLog({ level: 'OFF' }),
    protocols,
    mayConnect: EVERYONE_MAY,
    mayAnswer: () => true,
    candidates: () => [],
    resolve: async () => '127.0.0.1',
    settings: { host: '127.0.0.1', tcpPort: 0, clientId: 'test', maxPeers: 25, maxInbound: 25, ...settings },
    ...parts,
  })
  await network.start()
  const id = formatDigits(node.publicKey)
  const { tcpPort } = network
  const enode: Enode = { id, host: '127.0.0.1', hostKind: 'ipv4', tcpPort, udpPort: tcpPort }
  return { network, enode, id, node }
}

/** `testPeers` for a test file: networks, and everything pushed to `open`, are closed after each test. */
export function closedAfterEach() {
  const open: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })
  const peers: typeof testPeers = async (...args) => {
    const made = await testPeers(...args)
    open.push(() => made.network.stop())
    return made
  }
  return { open, peers }
}

/** A clock that runs faster by this factor. Timers fire slightly early, as those of Node may. */
export function pacedClock(pace: number): Clock {
  const earlyMs = 2
  const clock: Clock = {
    wallMs: systemClock.wallMs,
    monotonicMs: () => systemClock.monotonicMs() * pace,
    after: (delayMs, run, options) => systemClock.after(delayMs / pace - earlyMs, run, options),
    every: (periodMs, run, options) => repeat(clock, periodMs, run, options),
  }
  return clock
}

/** Resolves when the condition holds; the test runner ends a test that waits forever. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => void systemClock.after(5, () => resolve(undefined)))
}

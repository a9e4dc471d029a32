import { loadCrypto } from '#evm/crypto.ts'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { EVERYONE_MAY } from '#p2p/peer-rules.ts'
import { PeerNetwork } from '#p2p/peers/peer-network.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { systemClock } from '#platform/clock.ts'
import { loadRunningKeccak } from '#platform/fast-keccak.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'

const LIMIT = { maxBytes: 16 * 1024 * 1024 - 2, perSecond: 10_000_000 }

/** A protocol of four messages without limits, and its current peers. */
export function benchProtocol(
  name: string,
  onMessage: (link: PeerLink, code: number, data: Uint8Array) => void,
): { readonly protocol: PeerProtocol; readonly links: readonly PeerLink[] } {
  const links: PeerLink[] = []
  const protocol: PeerProtocol = {
    name,
    version: 1,
    messageCount: 4,
    limitOf: () => LIMIT,
    connect(link) {
      links.push(link)
      return {
        onMessage: (code, data) => onMessage(link, code, data),
        onClose: () => void links.splice(links.indexOf(link), 1),
      }
    },
  }
  return { protocol, links }
}

/** A node on the loopback interface that speaks one or more protocols. */
export async function startBenchPeer(
  onMessage: (link: PeerLink, code: number, data: Uint8Array) => void,
  more: readonly PeerProtocol[] = [],
) {
  const { protocol, links } = benchProtocol('bench', onMessage)
  const privateKey = privateKeyFromRandom('secp256k1', systemRandom.randomBytes(KEY_RANDOM_BYTES))
  const nodeKey = createLocalNodeKey(new Secret(privateKey))
  const { keccak, recover } = await loadCrypto()
  const createRunningKeccak = loadRunningKeccak()
  const network = new PeerNetwork({
    handshake: { nodeKey, keccak, recover, createRunningKeccak, random: systemRandom },
    clock: systemClock,
    log: createLog({ level: 'OFF' }),
    protocols: [protocol, ...more],
    mayConnect: EVERYONE_MAY,
    mayAnswer: () => true,
    candidates: () => [],
    resolve: async (name) => name,
    settings: { host: '127.0.0.1', tcpPort: 0, clientId: 'bench', maxPeers: 200, maxInbound: 200 },
  })
  await network.start()
  const { tcpPort } = network
  const id = formatDigits(await nodeKey.publicKey())
  const enode: Enode = { id, host: '127.0.0.1', hostKind: 'ipv4', tcpPort, udpPort: tcpPort }
  return { network, enode, links }
}

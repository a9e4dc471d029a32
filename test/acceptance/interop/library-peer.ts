/**
 * A peer built on `@ethereumjs/devp2p`, an independent RLPx implementation. It is no longer maintained and serves
 * only for comparison.
 */
import { once } from 'node:events'
import type { Server } from 'node:net'
import { systemRandom } from '#platform/random.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'

/**
 * Only the members used here. The library is loaded by name, so the compiler does not check the types of its
 * dependencies.
 */
interface Rlpx {
  readonly id: Uint8Array
  /** Null after a stop. */
  readonly _server: Server | null
  readonly events: { on(name: string, listener: (...args: unknown[]) => void): void }
  listen(port: number, host: string): void
  connect(peer: { id: Uint8Array; address: string; tcpPort: number }): Promise<void>
  disconnect(id: Uint8Array): void
  destroy(): void
}

interface Library {
  readonly RLPx: new (privateKey: Uint8Array, options: object) => Rlpx
}

interface Snappy {
  compress(data: Uint8Array): Uint8Array
}

export interface LibraryLink {
  readonly name: string
  send(code: number, data: Uint8Array): void
}

export interface LibraryProtocol {
  readonly name: string
  readonly version: number
  readonly messageCount: number
  onMessage(link: LibraryLink, code: number, data: Uint8Array): void
}

const LIBRARY: string = '@ethereumjs/devp2p'
const SNAPPY: string = 'snappyjs'

export async function startLibraryPeer(protocols: readonly LibraryProtocol[]) {
  const { RLPx }: Library = await import(LIBRARY)
  const { compress }: Snappy = await import(SNAPPY)
  const links: LibraryLink[] = []
  const peers = new Map<LibraryLink, unknown>()
  const reasons: unknown[] = []
  const capabilities = protocols.map(({ name, version, messageCount, onMessage }) => ({
    name,
    version,
    length: messageCount,
    // The library creates one instance per peer.
    constructor: class {
      readonly #link: LibraryLink
      constructor(_version: number, peer: unknown, send: (code: number, data: Uint8Array) => void) {
        this.#link = { name, send: (code, data) => send(code, compress(data)) }
        links.push(this.#link)
        peers.set(this.#link, peer)
      }
      _handleMessage(code: number, data: Uint8Array): void {
        onMessage(this.#link, code, data)
      }
    },
  }))
  const privateKey = privateKeyFromRandom('secp256k1', systemRandom.randomBytes(KEY_RANDOM_BYTES))
  const rlpx = new RLPx(privateKey, { capabilities, maxPeers: 25, clientId: Buffer.from('library') })
  rlpx.events.on('peer:removed', (peer, reason) => {
    reasons.push(reason)
    links.splice(0, links.length, ...links.filter((link) => peers.get(link) !== peer))
  })
  rlpx.events.on('peer:error', () => {})
  rlpx.events.on('error', () => {})
  rlpx.listen(0, '127.0.0.1')
  const server = rlpx._server!
  await once(server, 'listening')
  const { port: tcpPort } = server.address() as { readonly port: number }
  const id = formatDigits(rlpx.id)
  const enode: Enode = { id, host: '127.0.0.1', hostKind: 'ipv4', tcpPort, udpPort: null }
  return {
    enode,
    links,
    /** Disconnect reasons of lost peers, as protocol numbers. */
    reasons,
    dial: ({ id: to, host, tcpPort: port }: Enode) =>
      rlpx.connect({ id: Buffer.from(to, 'hex'), address: host, tcpPort: port! }),
    /** The library drops the link when the connection closes. */
    hangUp: ({ id: to }: Enode) => rlpx.disconnect(Buffer.from(to, 'hex')),
    stop: () => {
      if (rlpx._server !== null) rlpx.destroy()
    },
  }
}

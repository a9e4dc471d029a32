/** Main's side of protocols whose handlers run on main, while their peers are in the peers thread. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import { P2P_PROBLEMS } from '#p2p/log-problems.ts'
import type { PeerHandlers, PeerIdentity, PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import type { Log } from '#platform/log/log.ts'
import { assert } from '#types/assert.ts'
import type { CarriedProtocol, LinksClient, ProtocolsClient } from './peers-protocol.ts'

type ProtocolsOwner = {
  readonly [Name in keyof ProtocolsClient]: (
    ...args: Parameters<ProtocolsClient[Name]>
  ) => void | Promise<void>
}

/** Maximum bytes sent but not yet accepted by the thread, which accepts messages at once unless it is in trouble. */
const UNDER_WAY_MAX_BYTES = 64 * 1024 * 1024

/** A message of this turn with all its recipients, so it crosses threads once. */
interface Outgoing {
  readonly links: number[]
  readonly code: number
  readonly data: Uint8Array
}

export class CarriedProtocols {
  readonly #protocols: readonly PeerProtocol[]
  readonly #log: Log
  /** Handlers by link number; undefined while the protocol connects. */
  readonly #links = new Map<number, PeerHandlers | undefined>()
  #thread: LinksClient | undefined
  #outgoing: Outgoing[] = []
  #underWayBytes = 0

  constructor(protocols: readonly PeerProtocol[], log: Log) {
    this.#protocols = protocols
    this.#log = log
  }

  /** Describes the protocols for the thread. */
  spaces(): readonly CarriedProtocol[] {
    return this.#protocols.map((protocol) => {
      const { name, version, messageCount } = protocol
      const codes = Array.from({ length: messageCount }, (_, code) => code)
      return { name, version, messageCount, limits: codes.map((code) => protocol.limitOf(code)) }
    })
  }

  /** Switches to a new thread, or to none. The peers of the previous one are gone. */
  attach(thread: LinksClient | undefined): void {
    this.#thread = thread
    this.#outgoing = []
    for (const link of [...this.#links.keys()]) this.#close(link, 'tcpError')
  }

  /** Implements the contract that the thread calls. */
  owner(): ProtocolsOwner {
    return {
      opened: (place, link, peer) => this.#open(place, link, peer),
      message: (link, code, data) => this.#links.get(link)?.onMessage(code, data),
      closed: (link, reason) => this.#close(link, reason),
    }
  }

  #open(place: number, number: number, peer: PeerIdentity): void {
    const protocol = this.#protocols[place]
    assert(protocol !== undefined, 'The peers thread knows the protocols of main.')
    const link: PeerLink = {
      peer,
      send: (code, data, lane) => {
        assert(lane === 'urgent', 'Bulk messages are sent by protocols in the peers thread.')
        return this.#send(number, code, data)
      },
      drained: () => Promise.resolve(),
      holdBack: (ms) => this.#tell(this.#thread?.holdBack(number, ms), 'hold back'),
      disconnect: (reason, sentence) =>
        this.#tell(this.#thread?.disconnect(number, reason, sentence), 'disconnect'),
    }
    this.#links.set(number, undefined)
    try {
      this.#links.set(number, protocol.connect(link))
    } catch (error) {
      this.#links.delete(number)
      throw error
    }
  }

  #close(link: number, reason: DisconnectReason): void {
    const handlers = this.#links.get(link)
    this.#links.delete(link)
    handlers?.onClose?.(reason)
  }

  #send(link: number, code: number, data: Uint8Array): boolean {
    if (!this.#links.has(link) || this.#underWayBytes > UNDER_WAY_MAX_BYTES) return false
    const last = this.#outgoing.at(-1)
    if (last !== undefined && last.data === data && last.code === code) {
      last.links.push(link)
      return true
    }
    if (this.#outgoing.length === 0) queueMicrotask(() => this.#flush())
    this.#outgoing.push({ links: [link], code, data })
    return true
  }

  #flush(): void {
    const [thread, outgoing] = [this.#thread, this.#outgoing]
    this.#outgoing = []
    if (thread === undefined) return
    for (const { links, code, data } of outgoing) {
      this.#underWayBytes += data.length
      const sent = thread.send(links, code, data).finally(() => {
        this.#underWayBytes -= data.length
      })
      this.#tell(sent, 'send')
    }
  }

  #tell(told: Promise<void> | undefined, request: string): void {
    told?.catch((err: unknown) => this.#log.warn(P2P_PROBLEMS.messageLost, { request, err }))
  }
}

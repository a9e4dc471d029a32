/**
 * The consensus protocols `istanbul`/100 (QBFT) and `IBF`/1 (IBFT 2.0) as values for `p2p`. A peer's key tells whether it is a
 * validator, and its messages go to the driver. There is no handshake. A network that migrates speaks both, and the message
 * code tells them apart.
 */
import type { BftDriver } from '#consensus/driver.ts'
import type { BftNetwork, TurnedAway } from '#consensus/driver-parts.ts'
import { IBFT2_CODES } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { QBFT_CODES } from '#consensus/qbft/wire/qbft-codec.ts'
import type { MessageLimit, PeerHandlers, PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey } from '#types/curve.ts'

/** The part of the driver that peers use. */
export type BftReceiver = Pick<BftDriver, 'receive' | 'peerReconnected'>

/** Facts about peers that only sync knows. */
export type MetValidators = Pick<BftNetwork, 'exchanging' | 'turnedAway'>

interface Wire {
  readonly name: string
  readonly version: number
  readonly messageCount: number
  readonly codes: ReadonlySet<number>
}

const WIRES: Readonly<Record<BftProtocol, Wire>> = {
  qbft: { name: 'istanbul', version: 100, messageCount: 22, codes: new Set(Object.values(QBFT_CODES)) },
  ibft2: { name: 'IBF', version: 1, messageCount: 4, codes: new Set(Object.values(IBFT2_CODES)) },
}

/** The largest RLPx message without its code. The driver limits messages per second over all codes. */
const LIMIT: MessageLimit = { maxBytes: 16 * 1024 * 1024 - 2, perSecond: 5_000 }

export class BftPeers implements BftNetwork {
  readonly #protocols: readonly BftProtocol[]
  readonly #links = new Map<BftProtocol, Map<Address, PeerLink>>()
  readonly #met: MetValidators
  #receiver: BftReceiver | undefined

  constructor(protocols: readonly BftProtocol[], met: MetValidators) {
    this.#protocols = protocols
    this.#met = met
    for (const protocol of protocols) this.#links.set(protocol, new Map())
  }

  /** Starts to deliver messages to consensus. Earlier ones are lost, as on a network. */
  attach(receiver: BftReceiver): void {
    this.#receiver = receiver
    for (const address of this.connected()) receiver.peerReconnected(address)
  }

  protocols(): readonly PeerProtocol[] {
    return this.#protocols.map((protocol) => {
      const { codes, ...space } = WIRES[protocol]
      return {
        ...space,
        limitOf: (code: number) => (codes.has(code) ? LIMIT : undefined),
        connect: (link: PeerLink) => this.#connect(protocol, link),
      }
    })
  }

  send(to: readonly Address[], code: number, data: Uint8Array): void {
    const protocol = this.#protocols.find((each) => WIRES[each].codes.has(code))
    const links = protocol && this.#links.get(protocol)
    for (const address of to) links?.get(address)?.send(code, data, 'urgent')
  }

  connected(): readonly Address[] {
    return [...new Set([...this.#links.values()].flatMap((links) => [...links.keys()]))]
  }

  exchanging(): readonly Address[] {
    return this.#met.exchanging()
  }

  turnedAway(): readonly TurnedAway[] {
    return this.#met.turnedAway()
  }

  /** The peer id used by other rooms; undefined if the peer is gone. */
  idOf(address: Address): string | undefined {
    for (const links of this.#links.values()) {
      const link = links.get(address)
      if (link !== undefined) return link.peer.enode.id
    }
    return undefined
  }

  #connect(protocol: BftProtocol, link: PeerLink): PeerHandlers {
    const address = addressFromPublicKey(link.peer.publicKey)
    const links = this.#links.get(protocol)!
    links.set(address, link)
    this.#receiver?.peerReconnected(address)
    return {
      onMessage: (code, data) => {
        const waitMs = this.#receiver?.receive(address, code, data) ?? 0
        // Answered at once, never with a long pending promise: all peers share the line to main.
        if (waitMs > 0) link.holdBack(waitMs)
      },
      onClose: () => {
        if (links.get(address) === link) links.delete(address)
      },
    }
  }
}

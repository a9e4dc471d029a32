/**
 * The protocols of validators, `istanbul`/100 for QBFT and `IBF`/1 for IBFT 2.0, as values for the room of peers: who of the
 * peers is a validator follows from its key, and what it sends goes to the driver. There is no greeting; on a network that goes
 * from one protocol to the other both are spoken, and the code of a message says which it is.
 */
import type { BftNetwork, TurnedAway } from '#consensus/driver-ports.ts'
import { IBFT2_CODES } from '#consensus/ibft2/wire/ibft2-payloads.ts'
import { QBFT_CODES } from '#consensus/qbft/wire/qbft-payloads.ts'
import type { MessageLimit, PeerHandlers, PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey } from '#types/curve.ts'

/** What it needs of the driver. */
export interface BftReceiver {
  /** `from` is the address of the key of the peer. While a promise is pending, little more is read from it. */
  receive(from: Address, code: number, data: Uint8Array): void | Promise<void>
  peerReconnected(validator: Address): void
}

/** What only those who exchange blocks know of the peers. */
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

/** The largest message of RLPx less its code. What a peer may send in a second is counted by the driver, over all kinds. */
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

  /** Consensus runs from now on. What came before is lost, as on a network. */
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

  /** The id by which other rooms know the peer; undefined: it is gone. */
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
      onMessage: (code, data) => this.#receiver?.receive(address, code, data),
      onClose: () => {
        if (links.get(address) === link) links.delete(address)
      },
    }
  }
}

/** The peers thread's side of a protocol whose handlers run on main. */
import { reasonOfError } from '#p2p/disconnect.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { ownBytes } from '#platform/share-bytes.ts'
import type { CarriedProtocol, LinksClient, ProtocolsClient } from './peers-protocol.ts'

type LinksOwner = { readonly [Name in keyof LinksClient]: (...args: Parameters<LinksClient[Name]>) => void }

export class LinkCarrier {
  readonly #main: () => ProtocolsClient
  readonly #links = new Map<number, PeerLink>()
  #nextLink = 1

  /** `main` is not called before there is a peer. */
  constructor(main: () => ProtocolsClient) {
    this.#main = main
  }

  /** Creates the protocol at index `place` of main's list. */
  protocol({ limits, ...space }: CarriedProtocol, place: number): PeerProtocol {
    return {
      ...space,
      limitOf: (code) => limits[code],
      connect: (link) => {
        const number = this.#nextLink++
        this.#links.set(number, link)
        this.#main()
          .opened(place, number, link.peer)
          .catch((error: unknown) => {
            link.disconnect(reasonOfError(error), 'The protocol is not ready for the peer.')
          })
        return {
          onMessage: (code, data) => this.#main().message(number, code, data),
          onClose: (reason) => {
            this.#links.delete(number)
            // If main no longer answers, it has closed every link itself.
            this.#main()
              .closed(number, reason)
              .catch(() => undefined)
          },
        }
      },
    }
  }

  /** Implements the contract that main calls. An unknown link has already ended. */
  owner(): LinksOwner {
    return {
      send: (links, code, data) => {
        const owned = ownBytes(data)
        for (const link of links) this.#links.get(link)?.send(code, owned, 'urgent')
      },
      holdBack: (link, ms) => this.#links.get(link)?.holdBack(ms),
      disconnect: (link, reason, sentence) => this.#links.get(link)?.disconnect(reason, sentence),
    }
  }
}

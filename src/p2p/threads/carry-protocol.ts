/** In the thread of peers: stands in for a protocol whose handlers run on main. */
import { reasonOfError } from '#p2p/disconnect.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { ownBytes } from '#platform/share-bytes.ts'
import type { CarriedProtocol, LinksClient, ProtocolsClient } from './peers-protocol.ts'

type LinksOwner = { readonly [Name in keyof LinksClient]: (...args: Parameters<LinksClient[Name]>) => void }

export class LinkCarrier {
  readonly #main: () => ProtocolsClient
  readonly #links = new Map<number, PeerLink>()
  #nextLink = 1

  /** Main is not asked before there is a peer. */
  constructor(main: () => ProtocolsClient) {
    this.#main = main
  }

  /** The one at `place` of those that main named. */
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
            // Main that does not answer any more has closed every link itself.
            this.#main()
              .closed(number, reason)
              .catch(() => undefined)
          },
        }
      },
    }
  }

  /** What main asks. A link that is unknown has ended meanwhile. */
  owner(): LinksOwner {
    return {
      send: (links, code, data) => {
        const owned = ownBytes(data)
        for (const link of links) this.#links.get(link)?.send(code, owned, 'urgent')
      },
      disconnect: (link, reason, sentence) => this.#links.get(link)?.disconnect(reason, sentence),
    }
  }
}

/** One hostile peer: a real connection, and an `eth` or `istanbul` protocol that sends the attack's messages. */
import { testPeers } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { decodeNewBlock, decodeNewBlockHashes } from '#sync/wire/announcements.ts'
import { decodeAnswer, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH, messageCount } from '#sync/wire/eth-codes.ts'
import { decodeStatus, encodeBlockRange, encodeStatus, type Status } from '#sync/wire/status.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import type { Enode } from '#types/enode.ts'
import type { GenesisConsensus } from '#types/genesis/genesis-consensus.ts'
import type { Hash } from '#types/hash.ts'
import { encodedRlpItems } from '#types/rlp.ts'

const LIMIT = { maxBytes: 16 * 1024 * 1024 - 2, perSecond: 1_000_000 }
/** Number of consensus message codes, of both protocols and both encodings. */
const ISTANBUL_MESSAGES = 22
/** A peer that lost its connections returns with a new key. */
const RETURN_MS = 500

/** The chain as one connection has seen it. */
export interface SeenHead {
  readonly number: number
  readonly hash: Hash
  /** Undefined if the peer announced only the hash. */
  readonly header: BlockHeader | undefined
}

/** An attack's behaviour on one connection. */
export interface Conduct {
  /** Changes the status that the peer sends; without it the peer repeats the node's own. */
  readonly status?: (theirs: Status) => Status
  /** Claims this many blocks more than the node has, as soon as it knows the head. */
  readonly claimedBlocks?: number
  /** A message that is repeated. */
  readonly repeat?: { readonly everyMs: number; readonly say: (link: PeerLink, head: SeenHead) => number }
  /** The reaction to a message from the node. Returns the number of messages it sent. */
  readonly answer?: {
    readonly delayMs: number
    readonly say: (code: number, data: Uint8Array, link: PeerLink, head: SeenHead) => number
  }
  /** An attack that has an end: how much of it is done, on every node. A turn lasts until it is complete. */
  readonly progress?: { readonly of: number; readonly done: () => number }
}

export interface Figures {
  connections: number
  messages: number
  /** Connections that the node closed. */
  ended: number
  /** The length of the turn. */
  seconds: number
  /** How much of an attack that has an end is done. */
  progress?: { readonly of: number; readonly done: number }
}

/** Messages that still wait for the CPU at the end of a turn are dropped: they would take many times its length. */
export interface Turn {
  endsAtMs: number
}

export interface HostilePeerParts {
  readonly protocol: 'eth' | 'istanbul'
  readonly conduct: Conduct
  readonly targets: readonly Enode[]
  readonly consensus: GenesisConsensus
  readonly figures: Figures
  readonly turn: Turn
}

export class HostilePeer {
  readonly #parts: HostilePeerParts
  #network: Awaited<ReturnType<typeof testPeers>>['network'] | undefined
  #isOver = false

  constructor(parts: HostilePeerParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    if (this.#isOver) return
    let open = 0
    const onClose = (): void => {
      open -= 1
      if (this.#isOver) return
      this.#parts.figures.ended += 1
      if (open === 0) setTimeout(() => void this.#comeBack(), RETURN_MS)
    }
    const protocol = this.#parts.protocol === 'eth' ? this.#eth(onClose) : this.#istanbul(onClose)
    const connect = (link: PeerLink) => {
      open += 1
      this.#parts.figures.connections += 1
      return protocol.connect(link)
    }
    const { network } = await testPeers([{ ...protocol, connect }], { clientId: 'hostile' })
    this.#network = network
    if (this.#isOver) await network.stop()
    else for (const target of this.#parts.targets) network.maintain(target)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#network?.stop()
  }

  async #comeBack(): Promise<void> {
    await this.#network?.stop()
    await this.start()
  }

  #isTurnOver(): boolean {
    return performance.now() >= this.#parts.turn.endsAtMs
  }

  #eth(onClose: () => void): PeerProtocol {
    const { conduct, figures, consensus } = this.#parts
    const hashBlock = blockHashOf(consensus)
    return {
      name: 'eth',
      version: 69,
      messageCount: messageCount(69),
      limitOf: () => LIMIT,
      connect: (link) => {
        let head: SeenHead | undefined
        let timer: NodeJS.Timeout | undefined
        const say = (): void => {
          if (head !== undefined && !this.#isTurnOver()) figures.messages += conduct.repeat!.say(link, head)
        }
        const claim = (to: PeerLink, { number, hash }: SeenHead): void => {
          if (conduct.claimedBlocks === undefined) return
          const range = { earliest: 0, latest: number + conduct.claimedBlocks, latestHash: hash }
          to.send(ETH.blockRangeUpdate, encodeBlockRange(range), 'bulk')
        }
        const see = (bytes: Uint8Array): void => {
          const header = decodeHeader(bytes.slice())
          head = { number: Number(header.number), hash: hashBlock(header), header }
          claim(link, head)
        }
        const request = (from: Hash): void => {
          const what = { from, count: 1n, skip: 0n, isReverse: false }
          link.send(ETH.getBlockHeaders, encodeGetBlockHeaders({ id: 1n, what }), 'bulk')
        }
        const onMessage = (code: number, data: Uint8Array): void => {
          if (code === ETH.status) {
            const theirs = decodeStatus(69, data)
            head = { number: theirs.range!.latest, hash: theirs.latestHash, header: undefined }
            link.send(ETH.status, encodeStatus(conduct.status?.(theirs) ?? theirs), 'bulk')
            request(theirs.latestHash)
            if (conduct.repeat !== undefined) timer = setInterval(say, conduct.repeat.everyMs)
            return
          }
          if (code === ETH.newBlock) see([...encodedRlpItems(decodeNewBlock(data).block, 4)][0]!)
          // Nodes announce most blocks by hash to peers that are not validators.
          if (code === ETH.newBlockHashes) request(decodeNewBlockHashes(data).at(-1)!.hash)
          if (code === ETH.blockHeaders) {
            const [bytes] = decodeAnswer('BlockHeaders', data, 1).what
            if (bytes !== undefined) see(bytes)
          }
          const { answer } = conduct
          if (answer === undefined) return
          const seen = head!
          setTimeout(() => {
            if (!this.#isTurnOver()) figures.messages += answer.say(code, data, link, seen)
          }, answer.delayMs)
        }
        return {
          onMessage,
          onClose: () => {
            clearInterval(timer)
            onClose()
          },
        }
      },
    }
  }

  #istanbul(onClose: () => void): PeerProtocol {
    const { conduct, figures } = this.#parts
    const nowhere: SeenHead = { number: 0, hash: '0x' as Hash, header: undefined }
    return {
      name: 'istanbul',
      version: 100,
      messageCount: ISTANBUL_MESSAGES,
      limitOf: () => LIMIT,
      connect: (link) => {
        const { everyMs, say } = conduct.repeat!
        const timer = setInterval(() => {
          if (!this.#isTurnOver()) figures.messages += say(link, nowhere)
        }, everyMs)
        return {
          onMessage: () => {},
          onClose: () => {
            clearInterval(timer)
            onClose()
          },
        }
      },
    }
  }
}

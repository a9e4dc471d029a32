/**
 * The `eth` protocol in all supported versions: greets peers, rejects those of other networks, answers requests, and passes
 * announcements on.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { ForkIds, ForkPosition } from '#chain/read/fork-id.ts'
import type { ForkId } from '#p2p/discv4/node-record.ts'
import type { PeerFacts, PeerHandlers, PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { ethFault } from '#sync/faults.ts'
import { ifReadable } from '#sync/if-readable.ts'
import {
  type Answering,
  answerBodies,
  answerHeaders,
  answerPooled,
  answerReceipts,
} from '#sync/serve/answer-requests.ts'
import { once, ServeTurns } from '#sync/serve/serve-turns.ts'
import {
  type AnnouncedBlock,
  type AnnouncedTransaction,
  decodeNewBlock,
  decodeNewBlockHashes,
  decodeNewPooledHashes,
  type ToldBlock,
} from '#sync/wire/announcements.ts'
import {
  type Asked,
  decodeAnswer,
  decodeAskedHashes,
  decodeGetBlockHeaders,
  encodeGetBlockHeaders,
  type HeadersRequest,
  pooledBytes,
} from '#sync/wire/block-requests.ts'
import {
  ETH,
  ETH_VERSIONS,
  type EthVersion,
  limitOf,
  MAX_ASKED,
  MAX_POOLED,
  messageCount,
} from '#sync/wire/eth-codes.ts'
import { asEthMessage, encodeIdentified } from '#sync/wire/read-message.ts'
import {
  type BlockRange,
  decodeBlockRange,
  decodeStatus,
  encodeStatus,
  type Status,
} from '#sync/wire/status.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity, parseData } from '#types/hex.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import { EthPeer } from './eth-peer.ts'

const STATUS_MS = 10_000
/** Maximum transactions per message; far more than its bytes can hold. */
const MAX_TRANSACTIONS = 100_000

export interface EthParts {
  readonly clock: Clock
  readonly log: Log
  readonly chain: ChainView
  readonly networkId: bigint
  readonly genesisHash: Hash
  readonly forkIds: ForkIds
  readonly hashBlock: HashBlock
  /** Looks up pool transactions in exchange encoding, in the order of the hashes; undefined if missing. */
  readonly pooled: (hashes: readonly Hash[]) => Promise<readonly (Uint8Array | undefined)[]>
  readonly listener: EthListener
}

/** How two networks differ. */
export type NetworkDifference = 'network id' | 'genesis block' | 'forks'

/** Receives the announcements of peers. A fault disconnects the peer. */
export interface EthListener {
  /** The peer is on our network, and its head is known. */
  onReady(peer: EthPeer): void
  /** The peer is on another network. */
  onTurnedAway(peer: EthPeer, why: NetworkDifference): void
  onLeft(peer: EthPeer): void
  /** The peer announced a higher block. */
  onHeight(peer: EthPeer): void
  onNewBlock(peer: EthPeer, message: ToldBlock): void | Promise<void>
  onBlockHashes(peer: EthPeer, blocks: readonly AnnouncedBlock[]): void
  /** Each transaction in the encoding that is hashed. */
  onTransactions(peer: EthPeer, transactions: readonly Uint8Array[]): void | Promise<void>
  onPooledHashes(peer: EthPeer, transactions: readonly AnnouncedTransaction[]): void | Promise<void>
  onPooledRequested(peer: EthPeer, hashes: readonly Hash[]): void
}

export class EthNetwork {
  readonly #parts: EthParts
  readonly #peers = new Set<EthPeer>()
  readonly #turns: ServeTurns

  constructor(parts: EthParts) {
    this.#parts = parts
    this.#turns = new ServeTurns(parts.clock)
  }

  /** One protocol per version; RLPx selects the highest that both sides support. */
  protocols(): readonly PeerProtocol[] {
    return ETH_VERSIONS.map((version) => ({
      name: 'eth',
      version,
      messageCount: messageCount(version),
      limitOf: (code: number) => limitOf(version, code),
      connect: (link: PeerLink) => this.#connect(link, version),
    }))
  }

  /** Peers that may be asked. */
  peers(): readonly EthPeer[] {
    return [...this.#peers].filter(({ isReady, height }) => isReady && height >= 0)
  }

  forkId(): ForkId {
    const { hash, next } = this.#parts.forkIds.at(this.#position())
    return { hash: parseData(hash), next }
  }

  acceptsFork(forkId: ForkId): boolean {
    return this.#forkProblem(forkId) === undefined
  }

  range(): BlockRange {
    const { lookup, head } = this.#parts.chain
    const { hash, header } = head()
    return { earliest: lookup.firstBlockOnDisk(), latest: Number(header.number), latestHash: hash }
  }

  #connect(link: PeerLink, version: EthVersion): PeerHandlers {
    const peer = new EthPeer(link, version, this.#parts.clock)
    const timer = this.#parts.clock.after(
      STATUS_MS,
      () => peer.disconnect('timeout', 'The peer sent no Status in time.'),
      { unref: true },
    )
    link.send(ETH.status, encodeStatus(this.#status(version)), 'bulk')
    this.#peers.add(peer)
    return {
      onMessage: (code, data) => this.#onMessage(peer, code, data, timer),
      describe: () => this.#describe(peer),
      onClose: () => {
        timer.cancel()
        const wasReady = peer.isReady
        peer.close()
        this.#peers.delete(peer)
        if (wasReady) this.#parts.listener.onLeft(peer)
      },
    }
  }

  /** The facts shown to API clients. The difficulty is known if this chain has the peer's head. */
  #describe({ head }: EthPeer): PeerFacts {
    if (head === undefined) return {}
    const { chain } = this.#parts
    const difficulty = ifReadable(() => {
      const known = chain.lookup.header(head.hash)
      return known && formatQuantity(chain.totalDifficulty(known))
    })
    return {
      ...(difficulty !== undefined && { difficulty }),
      head: head.hash,
      ...(head.number !== undefined && { latestBlock: head.number }),
    }
  }

  #status(version: EthVersion): Status {
    const { chain, networkId, genesisHash } = this.#parts
    const head = chain.head()
    return {
      version,
      networkId,
      genesis: genesisHash,
      forkId: this.forkId(),
      latestHash: head.hash,
      totalDifficulty: version >= 69 ? undefined : chain.totalDifficulty(head),
      range: version >= 69 ? this.range() : undefined,
    }
  }

  #onMessage(peer: EthPeer, code: number, data: Uint8Array, timer: Timer): void | Promise<void> {
    if (code === ETH.status) {
      timer.cancel()
      this.#onStatus(peer, data)
      return
    }
    if (!peer.isReady) throw ethFault('The peer said something before its Status.')
    return this.#handlers[code]?.(peer, data)
  }

  readonly #handlers: Readonly<Record<number, (peer: EthPeer, data: Uint8Array) => void | Promise<void>>> = {
    [ETH.getBlockHeaders]: (peer, data) => {
      const answer = (what: HeadersRequest) => {
        peer.noteRequested(typeof what.from === 'bigint' ? Number(what.from) : what.from)
        return answerHeaders(this.#parts.chain, what)
      }
      return this.#answer(peer, ETH.blockHeaders, () => decodeGetBlockHeaders(data), answer)
    },
    [ETH.getBlockBodies]: (peer, data) => {
      const answer = (hashes: readonly Hash[]) => answerBodies(this.#parts.chain, hashes)
      return this.#answer(peer, ETH.blockBodies, () => asked('GetBlockBodies', data), answer)
    },
    [ETH.getReceipts]: (peer, data) => {
      const answer = (hashes: readonly Hash[]) => answerReceipts(this.#parts.chain, peer.version, hashes)
      return this.#answer(peer, ETH.receipts, () => asked('GetReceipts', data), answer)
    },
    [ETH.getPooledTransactions]: (peer, data) => {
      const answer = async (hashes: readonly Hash[]) => {
        this.#parts.listener.onPooledRequested(peer, hashes)
        return answerPooled(await this.#parts.pooled(hashes.slice(0, MAX_POOLED)))
      }
      const decode = () => asked('GetPooledTransactions', data)
      return this.#answer(peer, ETH.pooledTransactions, decode, answer)
    },
    // This node serves no state; an empty answer is valid.
    [ETH.getNodeData]: (peer, data) => {
      const decode = () => asked('GetNodeData', data)
      return this.#answer(peer, ETH.nodeData, decode, () => answerPooled([]))
    },
    [ETH.blockHeaders]: (peer, data) => peer.onAnswer(ETH.blockHeaders, data),
    [ETH.blockBodies]: (peer, data) => peer.onAnswer(ETH.blockBodies, data),
    [ETH.pooledTransactions]: (peer, data) => peer.onAnswer(ETH.pooledTransactions, data),
    [ETH.receipts]: (peer, data) => peer.onAnswer(ETH.receipts, data),
    [ETH.newBlockHashes]: (peer, data) =>
      this.#parts.listener.onBlockHashes(peer, decodeNewBlockHashes(data)),
    [ETH.newBlock]: (peer, data) => this.#parts.listener.onNewBlock(peer, decodeNewBlock(data)),
    [ETH.transactions]: (peer, data) => this.#parts.listener.onTransactions(peer, transactionsIn(data)),
    [ETH.newPooledTransactionHashes]: (peer, data) =>
      this.#parts.listener.onPooledHashes(peer, decodeNewPooledHashes(peer.version, data)),
    [ETH.blockRangeUpdate]: (peer, data) => {
      const { earliest, latest, latestHash } = decodeBlockRange(data)
      peer.startsAt(earliest)
      peer.setHeight(latestHash, latest)
      this.#parts.listener.onHeight(peer)
    },
  }

  /**
   * Answers one request of a peer at a time, and only while it reads the answers; beyond a limit nothing more is read from it.
   * Messages of other protocols do not wait here.
   */
  #answer<What>(
    peer: EthPeer,
    code: number,
    decode: () => Asked<What>,
    answer: (what: What) => Answering | Promise<Answering>,
  ): Promise<void> {
    const answered = peer.requests.take(async () => {
      await peer.link.drained()
      if (peer.isClosed) return
      const { id, what } = await this.#turns.run(once(decode))
      const items = await this.#turns.run(await answer(what))
      peer.link.send(code, encodeIdentified({ id, content: encodeRlpList(items) }), 'bulk')
    })
    if (answered !== undefined) return answered
    // A peer may request more transactions than this node can serve, but no honest peer needs so many blocks at once.
    if (code === ETH.pooledTransactions) return Promise.resolve()
    throw ethFault('The peer asks for more without waiting for its answers.')
  }

  #onStatus(peer: EthPeer, data: Uint8Array): void {
    if (peer.isReady) throw ethFault('The peer sent a second Status.')
    const status = decodeStatus(peer.version, data)
    const problem = this.#statusProblem(peer, status)
    if (problem !== undefined) {
      if (problem.why !== undefined) this.#parts.listener.onTurnedAway(peer, problem.why)
      peer.disconnect('subprotocol', problem.sentence)
      return
    }
    const number = status.range?.latest
    peer.greet({ hash: status.latestHash, number }, status.range?.earliest ?? 0)
    if (number !== undefined) this.#parts.listener.onReady(peer)
    else void this.#askHead(peer, status.latestHash)
  }

  #statusProblem(
    peer: EthPeer,
    { version, networkId, genesis, forkId }: Status,
  ): { readonly why?: NetworkDifference; readonly sentence: string } | undefined {
    const { networkId: ours, genesisHash } = this.#parts
    if (version !== peer.version) {
      return { sentence: `The peer speaks eth/${version} and agreed on eth/${peer.version}.` }
    }
    if (networkId !== ours) {
      return {
        why: 'network id',
        sentence: `The peer is of the network ${networkId}, and this node of ${ours}.`,
      }
    }
    if (genesis !== genesisHash) {
      const sentence = `The peer has genesis block ${genesis}, this node ${genesisHash}.`
      return { why: 'genesis block', sentence }
    }
    const problem = this.#forkProblem(forkId)
    return problem === undefined
      ? undefined
      : { why: 'forks', sentence: `The peer has other forks. ${problem}` }
  }

  /** Up to eth/68, a status contains only the hash of the head. */
  async #askHead(peer: EthPeer, hash: Hash): Promise<void> {
    const { hashBlock, listener, log } = this.#parts
    try {
      const data = await peer.request(ETH.getBlockHeaders, ETH.blockHeaders, (id) =>
        encodeGetBlockHeaders({ id, what: { from: hash, count: 1n, skip: 0n, isReverse: false } }),
      )
      const [encoded] = decodeAnswer('BlockHeaders', data, 1).what
      const header = encoded && decodeHeader(encoded)
      if (header === undefined || hashBlock(header) !== hash) {
        peer.disconnect('uselessPeer', 'The peer did not return the header of its head.')
        return
      }
      peer.useful()
      // The peer may have announced later blocks meanwhile.
      peer.reached(hash, Number(header.number))
      listener.onReady(peer)
    } catch (error) {
      log.debug('Failed to fetch the head of a peer', { id: peer.id, err: error })
      peer.disconnect('uselessPeer', 'The peer did not return the header of its head.')
    }
  }

  #forkProblem({ hash, next }: ForkId): string | undefined {
    return this.#parts.forkIds.problem({ hash: formatData(hash), next }, this.#position())
  }

  #position(): ForkPosition {
    const { number, timestamp } = this.#parts.chain.head().header
    return { number, timestamp }
  }
}

function asked(name: string, data: Uint8Array): Asked<readonly Hash[]> {
  return decodeAskedHashes(name, data, MAX_ASKED)
}

function transactionsIn(data: Uint8Array): readonly Uint8Array[] {
  return asEthMessage('Transactions', data, () =>
    [...encodedRlpItems(data, MAX_TRANSACTIONS)].map((item) => pooledBytes(item)),
  )
}

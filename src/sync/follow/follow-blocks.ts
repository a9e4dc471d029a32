/** New blocks: those that peers tell of are taken, those of this node are told to peers. */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { CatchUp } from '#sync/catch-up/catch-up.ts'
import { type ChainedHeader, readHeader } from '#sync/catch-up/header-chain.ts'
import type { SealCheck } from '#sync/catch-up/seal-check.ts'
import { ethFault } from '#sync/faults.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { type AnnouncedBlock, encodeNewBlock, type ToldBlock } from '#sync/wire/announcements.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { asEthMessage } from '#sync/wire/read-message.ts'
import { type BlockRange, encodeBlockRange } from '#sync/wire/status.ts'
import { MAX_BLOCK_BYTES, maxTransactions, splitBodyIn } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { belongsTo } from '#types/block/block-roots.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'

/** Blocks of one height that are imported at the same time; an honest network has one. */
const MAX_UNDER_WAY = 4
/** A block so far below the head is not news: a peer that catches up announces only its last blocks. */
const OLD_BLOCKS = 256n
/** A block may be this far ahead of our clock. */
const MAX_AHEAD_MS = 1_000
/** Older ones are no news. */
const NEWS_MS = 60_000
/** eth/69: how often peers are told of the range, unless blocks are few. */
const RANGE_BLOCKS = 32
/** And not more often than this: who catches up comes by so many in milliseconds, and peers take ten such messages a second. */
const RANGE_REST_MS = 1_000

export interface FollowParts {
  readonly clock: Clock
  readonly log: Log
  readonly chain: ChainView
  readonly hashBlock: HashBlock
  readonly keccak: Keccak
  readonly seals: Pick<SealCheck, 'refuse'>
  readonly catchUp: Pick<CatchUp, 'wake' | 'isBehind'>
  readonly peers: () => readonly EthPeer[]
  readonly range: () => BlockRange
  /** Whether blocks are told of by their makers: on networks of validators. */
  readonly tellsBlocks: boolean
  readonly importBlock: (block: Uint8Array) => Promise<{ readonly ok: boolean; readonly sentence?: string }>
}

export class FollowBlocks {
  readonly #parts: FollowParts
  readonly #underWay = new Set<Hash>()
  /** Peers that come learn it from the status. */
  #toldRange: number
  #rest: Timer | undefined

  constructor(parts: FollowParts) {
    this.#parts = parts
    this.#toldRange = Number(parts.chain.head().header.number)
  }

  /** The header is judged before anybody looks at the body, which may have 16 MB. */
  async onNewBlock(peer: EthPeer, { block }: ToldBlock): Promise<void> {
    const { hashBlock, keccak, chain, catchUp, seals, clock } = this.#parts
    const told = headerOf(block, hashBlock)
    const { hash, header } = told
    const head = chain.storedHead()
    if (header.number + OLD_BLOCKS < head.header.number) {
      peer.useless()
      return
    }
    const isNext = header.parentHash === head.hash && header.number === head.header.number + 1n
    const problem = isNext ? await seals.refuse([told], head) : undefined
    if (problem !== undefined) {
      this.#refuse(peer, header, problem)
      return
    }
    peer.reached(hash, Number(header.number))
    // A sealed block is ahead only of a clock that is wrong: the writer would refuse it.
    const isTooEarly = Number(header.timestamp) * 1_000 > clock.wallMs() + MAX_AHEAD_MS
    if (!isNext || isTooEarly) {
      catchUp.wake()
      return
    }
    // Any peer can show a sealed header, so the writer decodes only the body that the header names.
    if (isBodyOf(header, block, keccak)) await this.#take(peer, block, hash, header)
    else this.#refuse(peer, header, 'Its body is not the one that the header names.')
  }

  onBlockHashes(peer: EthPeer, blocks: readonly AnnouncedBlock[]): void {
    for (const { hash, number } of blocks) peer.reached(hash, number)
    this.#parts.catchUp.wake()
  }

  /** The head moved, by whatever way. */
  onHead(): void {
    const { chain, tellsBlocks, catchUp, clock } = this.#parts
    this.#tellRange()
    if (!tellsBlocks || catchUp.isBehind) return
    const { hash, header } = chain.head()
    if (clock.wallMs() - Number(header.timestamp) * 1_000 > NEWS_MS) return
    const peers = this.#parts.peers().filter(({ blocks }) => !blocks.has(hash))
    const encoded = peers.length === 0 ? undefined : this.#encoded(hash)
    if (encoded === undefined) return
    const totalDifficulty = chain.totalDifficulty({ hash, header })
    const message = encodeNewBlock({ block: encoded, totalDifficulty })
    for (const peer of peers) {
      if (peer.link.send(ETH.newBlock, message, 'bulk')) peer.blocks.add(hash)
    }
  }

  /** eth/69: which blocks this node has; also now and then, if that has changed. */
  tellRange(): void {
    const range = this.#parts.range()
    if (range.latest === this.#toldRange) return
    this.#toldRange = range.latest
    const message = encodeBlockRange(range)
    for (const peer of this.#parts.peers()) {
      if (peer.version >= 69) peer.link.send(ETH.blockRangeUpdate, message, 'bulk')
    }
  }

  stop(): void {
    this.#rest?.cancel()
  }

  #tellRange(): void {
    if (this.#rest !== undefined || Math.abs(this.#parts.range().latest - this.#toldRange) < RANGE_BLOCKS)
      return
    this.tellRange()
    const onRested = (): void => {
      this.#rest = undefined
      this.#tellRange()
    }
    this.#rest = this.#parts.clock.after(RANGE_REST_MS, onRested, { unref: true })
  }

  async #take(peer: EthPeer, block: Uint8Array, hash: Hash, header: BlockHeader): Promise<void> {
    const { importBlock, log, catchUp } = this.#parts
    if (this.#underWay.has(hash) || this.#underWay.size >= MAX_UNDER_WAY) return
    this.#underWay.add(hash)
    try {
      const verdict = await importBlock(block.slice())
      if (!verdict.ok) this.#refuse(peer, header, verdict.sentence ?? 'No reason was given.')
    } catch (err) {
      if (err instanceof Fault && err.kind === 'INVALID_BLOCK') this.#refuse(peer, header, err.data.sentence)
      else log.warn('A new block could not be imported.', { number: Number(header.number), err })
    } finally {
      this.#underWay.delete(hash)
      catchUp.wake()
    }
  }

  #refuse(peer: EthPeer, { number }: BlockHeader, sentence: string): void {
    this.#parts.log.warn('A peer sent an invalid block.', { id: peer.id, why: sentence })
    peer.disconnect('breachOfProtocol', `Block ${number} of the peer is invalid. ${sentence}`)
  }

  #encoded(hash: Hash): Uint8Array | undefined {
    const { lookup } = this.#parts.chain
    const header = lookup.encodedHeader(hash)
    const body = lookup.encodedBody(hash)
    return header && body && encodeRlpList([header, ...encodedRlpItems(body)])
  }
}

function isBodyOf(header: BlockHeader, block: Uint8Array, keccak: Keccak): boolean {
  return asEthMessage('NewBlock', block, () =>
    belongsTo(splitBodyIn(block, maxTransactions(header)), keccak)(header),
  )
}

/** Reads only the header: the seals are checked before the body. */
function headerOf(block: Uint8Array, hashBlock: HashBlock): ChainedHeader {
  if (block.length > MAX_BLOCK_BYTES) throw ethFault(`The peer sent a block of ${block.length} bytes.`)
  const [header] = asEthMessage('NewBlock', block, () => [...encodedRlpItems(block, 4)])
  if (header === undefined) throw ethFault('The peer sent an empty list in place of a block.')
  return readHeader(header, hashBlock)
}

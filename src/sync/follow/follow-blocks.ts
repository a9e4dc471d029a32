/** Imports new blocks announced by peers, and announces those of this node. */
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ImportLine } from '#chain/writer/import-line.ts'
import type { Timer } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import type { CatchUp, CatchUpParts } from '#sync/catch-up/catch-up.ts'
import { type ChainedHeader, readHeader } from '#sync/catch-up/header-chain.ts'
import type { SealCheck } from '#sync/catch-up/seal-check.ts'
import { ethFault } from '#sync/faults.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import {
  type AnnouncedBlock,
  encodeNewBlock,
  encodeNewBlockHashes,
  type ToldBlock,
} from '#sync/wire/announcements.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { asEthMessage } from '#sync/wire/read-message.ts'
import { type BlockRange, encodeBlockRange } from '#sync/wire/status.ts'
import type { Address } from '#types/address.ts'
import { MAX_BLOCK_BYTES, maxTransactions, splitBodyIn } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { belongsTo } from '#types/block/block-roots.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import { chooseReceivers } from './choose-receivers.ts'

/** Maximum blocks imported at once; an honest network has one. */
const MAX_UNDER_WAY = 4
/** Older blocks are ignored: a syncing peer announces only its latest blocks. */
const OLD_BLOCKS = 256n
/** Maximum distance of a block from our clock. */
const MAX_AHEAD_MS = 1_000
/** Number of blocks after which eth/69 peers get a range update. */
const RANGE_BLOCKS = 32
/** Minimum time between range updates: sync imports many blocks per second, and peers accept ten such messages. */
const RANGE_REST_MS = 1_000

export interface FollowParts extends Pick<CatchUpParts, 'clock' | 'log' | 'chain' | 'hashBlock' | 'peers'> {
  readonly keccak: Keccak
  readonly seals: Pick<SealCheck, 'refuse'>
  readonly catchUp: Pick<CatchUp, 'wake' | 'isBehind'>
  readonly range: () => BlockRange
  /** Whether proposers announce blocks, as in validator networks. */
  readonly tellsBlocks: boolean
  readonly importBlock: ImportLine['importBlock']
  /** Whether blocks of peers are imported. */
  readonly takesBlocks: boolean
}

export class FollowBlocks {
  readonly #parts: FollowParts
  readonly #underWay = new Set<Hash>()
  /** New peers learn the range from the status. */
  #toldRange: number
  #rest: Timer | undefined

  constructor(parts: FollowParts) {
    this.#parts = parts
    this.#toldRange = Number(parts.chain.head().header.number)
  }

  /** Judges the header before the body, which may have 16 MB. */
  async onNewBlock(peer: EthPeer, { block }: ToldBlock): Promise<void> {
    const { hashBlock, keccak, chain, catchUp, seals, clock, takesBlocks } = this.#parts
    if (!takesBlocks) return
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
    // If a sealed block is in the future, our clock is wrong and the writer would refuse it.
    const isTooEarly = Number(header.timestamp) * 1_000 > clock.wallMs() + MAX_AHEAD_MS
    if (!isNext || isTooEarly) {
      catchUp.wake()
      return
    }
    // Any peer can show a sealed header, so the writer decodes only the body that the header names.
    if (isBodyOf(header, block, keccak)) await this.#take(peer, block, { hash, header })
    else this.#refuse(peer, header, 'Its body does not match its header.')
  }

  onBlockHashes(peer: EthPeer, blocks: readonly AnnouncedBlock[]): void {
    for (const { hash, number } of blocks) peer.reached(hash, number)
    this.#parts.catchUp.wake()
  }

  /**
   * `validators` are those of the next block. `participants` get the block from consensus, so a hash is enough: a complete
   * block has a seal of most validators.
   */
  onHead(validators: readonly Address[], participants: readonly Address[]): void {
    const { chain, tellsBlocks, catchUp } = this.#parts
    this.#tellRange()
    if (!tellsBlocks || catchUp.isBehind) return
    const { hash, header } = chain.head()
    const number = Number(header.number)
    // The age by the wall clock does not count, because a wrong clock would hide every block.
    const isOldFor = ({ height }: EthPeer) => number + Number(OLD_BLOCKS) < height
    const peers = this.#parts.peers().filter((peer) => !peer.blocks.has(hash) && !isOldFor(peer))
    const encoded = peers.length === 0 ? undefined : this.#encoded(hash)
    if (encoded === undefined) return
    const needsWhole = (peer: EthPeer) => peer.needsBlocks || validators.includes(peer.address)
    const hasBlock = (peer: EthPeer) => !peer.needsBlocks && participants.includes(peer.address)
    const others = peers.filter((peer) => !hasBlock(peer))
    const { whole, hashOnly } = chooseReceivers(others, needsWhole, systemRandom)
    const totalDifficulty = chain.totalDifficulty({ hash, header })
    const message = encodeNewBlock({ block: encoded, totalDifficulty })
    for (const peer of whole) {
      if (peer.link.send(ETH.newBlock, message, 'bulk')) peer.blocks.add(hash)
    }
    const announcement = encodeNewBlockHashes([{ hash, number }])
    for (const peer of [...hashOnly, ...peers.filter(hasBlock)]) {
      if (peer.link.send(ETH.newBlockHashes, announcement, 'bulk')) peer.noteAnnounced(hash, number)
    }
  }

  /** Sends a range update to eth/69 peers if the range changed; also called periodically. */
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

  async #take(peer: EthPeer, block: Uint8Array, known: KnownHeader): Promise<void> {
    const { hash, header } = known
    const { importBlock, log, catchUp } = this.#parts
    if (this.#underWay.has(hash) || this.#underWay.size >= MAX_UNDER_WAY) return
    this.#underWay.add(hash)
    try {
      const verdict = await importBlock({ block: block.slice(), known })
      if (!verdict.ok) this.#refuse(peer, header, verdict.sentence)
    } catch (err) {
      if (err instanceof Fault && err.kind === 'INVALID_BLOCK') this.#refuse(peer, header, err.data.sentence)
      else log.warn(SYNC_PROBLEMS.newBlockFailed, { number: Number(header.number), err })
    } finally {
      this.#underWay.delete(hash)
      catchUp.wake()
    }
  }

  #refuse(peer: EthPeer, { number }: BlockHeader, sentence: string): void {
    this.#parts.log.warn(SYNC_PROBLEMS.invalidBlock, { id: peer.id, reason: sentence })
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

/** Reads only the header, because the seals are checked before the body. */
function headerOf(block: Uint8Array, hashBlock: HashBlock): ChainedHeader {
  if (block.length > MAX_BLOCK_BYTES) throw ethFault(`The peer sent a block of ${block.length} bytes.`)
  const [header] = asEthMessage('NewBlock', block, () => [...encodedRlpItems(block, 4)])
  if (header === undefined) throw ethFault('The peer sent an empty list in place of a block.')
  return readHeader(header, hashBlock)
}

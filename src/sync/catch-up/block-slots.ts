/** Blocks on their way into the chain, in their order: headers that follow the head, bodies that are asked for and come. */
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { ChainedHeader, ChainTip } from './header-chain.ts'
import { knownBody, type MatchedBody } from './match-bodies.ts'

/** Headers in hand, at most: what a liar can make this node keep. */
const MAX_SLOTS = 2_048
/** Of bodies in hand. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Asked of one peer at a time. */
const MAX_CHUNK = 64
/** Handed over at a time. */
const MAX_PART_BLOCKS = 256
const MAX_PART_BYTES = 4 * 1024 * 1024

/** Whoever showed it answers for it. */
export interface ShownHeader extends ChainedHeader {
  readonly from: EthPeer
}

export interface Slot extends ShownHeader {
  isAsked: boolean
  /** Somebody did not have the body: only whoever showed the header is asked again. */
  isDoubted: boolean
  body: MatchedBody | undefined
}

/** Blocks that are whole and follow the head. */
export interface BlockPart {
  readonly blocks: readonly Uint8Array[]
  readonly transactions: readonly (readonly Transaction[])[]
  readonly tip: ChainTip
  /** Of each block. */
  readonly shown: readonly ShownHeader[]
}

export class BlockSlots {
  #slots: Slot[] = []
  #bodyBytes = 0
  #taken: ChainTip | undefined

  get count(): number {
    return this.#slots.length
  }

  get isFull(): boolean {
    return this.#slots.length >= MAX_SLOTS
  }

  /** The last block that is in hand or was handed over; undefined: none is. */
  get tip(): ChainTip | undefined {
    const last = this.#slots.at(-1)
    return last === undefined ? this.#taken : { number: Number(last.header.number), hash: last.hash }
  }

  add(headers: readonly ChainedHeader[], from: EthPeer): void {
    for (const header of headers) {
      const body = knownBody(header.header)
      this.#slots.push({ ...header, from, isAsked: false, isDoubted: false, body })
    }
  }

  /** Whether only this peer can bring what is missing. */
  hasDoubted(peer: EthPeer): boolean {
    return this.#slots.some(({ from, isDoubted, body }) => from === peer && isDoubted && body === undefined)
  }

  /** The next block that somebody has to be asked for; undefined: none is, or enough is in hand. */
  get nextMissing(): Slot | undefined {
    return this.#bodyBytes > MAX_BODY_BYTES ? undefined : this.#slots.find(isMissing)
  }

  /** That block and those after it that the same peer showed, all doubted or none; marks them. */
  askNext(first: Slot): readonly Slot[] {
    const isLike = (slot: Slot) => slot.from === first.from && slot.isDoubted === first.isDoubted
    const missing: Slot[] = []
    for (const slot of this.#slots) {
      if (isMissing(slot) && isLike(slot)) missing.push(slot)
      if (missing.length === MAX_CHUNK) break
    }
    for (const slot of missing) slot.isAsked = true
    return missing
  }

  /** What was asked for came, or not: that may be asked for again. No bodies at all: nobody answered. */
  settle(asked: readonly Slot[], bodies: readonly (MatchedBody | undefined)[]): void {
    for (const [index, slot] of asked.entries()) {
      slot.isAsked = false
      const body = bodies[index]
      if (slot.body !== undefined) continue
      if (body === undefined) {
        slot.isDoubted ||= isLeftOut(bodies, index)
        continue
      }
      slot.body = body
      this.#bodyBytes += body.encoded.length
    }
  }

  /** undefined: the next block is not whole yet. */
  takePart(): BlockPart | undefined {
    const slots: Slot[] = []
    let bytes = 0
    for (const slot of this.#slots) {
      if (slot.body === undefined || slots.length === MAX_PART_BLOCKS || bytes > MAX_PART_BYTES) break
      slots.push(slot)
      bytes += slot.encoded.length + slot.body.encoded.length
    }
    const last = slots.at(-1)
    if (last === undefined) return undefined
    this.#slots = this.#slots.slice(slots.length)
    for (const { body } of slots) this.#bodyBytes -= body!.encoded.length
    this.#taken = { number: Number(last.header.number), hash: last.hash }
    return {
      blocks: slots.map(({ encoded, body }) => encodeRlpList([encoded, ...encodedRlpItems(body!.encoded)])),
      transactions: slots.map(({ body }) => body!.body.transactions),
      tip: this.#taken,
      shown: slots,
    }
  }

  clear(): void {
    this.#slots = []
    this.#bodyBytes = 0
    this.#taken = undefined
  }
}

function isMissing({ body, isAsked }: Slot): boolean {
  return body === undefined && !isAsked
}

/** An answer may end early, where the next body would be too much: what follows the last one was not refused. */
function isLeftOut(bodies: readonly (MatchedBody | undefined)[], index: number): boolean {
  const last = bodies.findLastIndex((body) => body !== undefined)
  return bodies.length > 0 && (last === -1 || index < last)
}

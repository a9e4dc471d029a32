/** Blocks on their way into the chain, in their order: headers that follow the head, bodies that are asked for and come. */
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { type ChainedHeader, type ChainTip, tipOf } from './header-chain.ts'
import { knownBody, type MatchedBody } from './match-bodies.ts'

/** Headers in hand, at most: what a liar can make this node keep. */
const MAX_SLOTS = 2_048
/** Bytes of headers in hand, apart from the answer that exceeds them: seals are no part of a hash, and may be padded. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024
/** Of bodies in hand. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Asked of one peer at a time. */
export const MAX_CHUNK = 64
/** After so long without an answer a body is asked of another peer too. */
export const LATE_MS = 2_000
/** Handed over at a time. */
const MAX_PART_BLOCKS = 256
const MAX_PART_BYTES = 4 * 1024 * 1024

/** Whoever showed it answers for it. */
export interface ShownHeader extends ChainedHeader {
  readonly from: EthPeer
}

export interface Slot extends ShownHeader {
  /** The last request for its body that is not settled. */
  asked: { readonly peer: EthPeer; readonly atMs: number } | undefined
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
  #headerBytes = 0
  #bodyBytes = 0
  #taken: ChainTip | undefined

  get count(): number {
    return this.#slots.length
  }

  get isFull(): boolean {
    return this.#slots.length >= MAX_SLOTS || this.#headerBytes >= MAX_HEADER_BYTES
  }

  /** The last block that is in hand or was handed over; undefined: none is. */
  get tip(): ChainTip | undefined {
    const last = this.#slots.at(-1)
    return last === undefined ? this.#taken : tipOf(last)
  }

  /** The header in hand that contradicts a block of the chain. */
  conflictWith({ hash, number }: ChainTip): ShownHeader | undefined {
    const first = this.#slots[0]
    const found = first && this.#slots[number - Number(first.header.number)]
    return found === undefined || found.hash === hash ? undefined : found
  }

  add(headers: readonly ChainedHeader[], from: EthPeer): void {
    for (const header of headers) {
      const body = knownBody(header.header)
      this.#slots.push({ ...header, from, asked: undefined, isDoubted: false, body })
      this.#headerBytes += header.encoded.length
      this.#bodyBytes += body?.encoded.length ?? 0
    }
  }

  /** Whether only this peer can bring what is missing. */
  hasDoubted(peer: EthPeer): boolean {
    return this.#slots.some(({ from, isDoubted, body }) => from === peer && isDoubted && body === undefined)
  }

  /** The next block that somebody has to be asked for; undefined: none is, or enough is in hand. */
  nextMissing(nowMs: number): Slot | undefined {
    return this.#bodyBytes > MAX_BODY_BYTES ? undefined : this.#slots.find((slot) => isMissing(slot, nowMs))
  }

  /** That block and those after it that the same peer showed, all doubted or none; marks them as asked of `peer`. */
  askNext(first: Slot, peer: EthPeer, nowMs: number): readonly Slot[] {
    const isLike = (slot: Slot) =>
      slot.from === first.from && slot.isDoubted === first.isDoubted && slot.asked?.peer !== peer
    const missing: Slot[] = []
    for (const slot of this.#slots) {
      if (isMissing(slot, nowMs) && isLike(slot)) missing.push(slot)
      if (missing.length === MAX_CHUNK) break
    }
    for (const slot of missing) slot.asked = { peer, atMs: nowMs }
    return missing
  }

  /** What the peer was asked for came, or not: that may be asked for again. No bodies at all: it did not answer. */
  settle(asked: readonly Slot[], peer: EthPeer, bodies: readonly (MatchedBody | undefined)[]): void {
    for (const [index, slot] of asked.entries()) {
      if (slot.asked?.peer === peer) slot.asked = undefined
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
    for (const { encoded, body } of slots) {
      this.#headerBytes -= encoded.length
      this.#bodyBytes -= body!.encoded.length
    }
    this.#taken = tipOf(last)
    return {
      blocks: slots.map(({ encoded, body }) => encodeRlpList([encoded, ...encodedRlpItems(body!.encoded)])),
      transactions: slots.map(({ body }) => body!.body.transactions),
      tip: this.#taken,
      shown: slots,
    }
  }
}

function isMissing({ body, asked }: Slot, nowMs: number): boolean {
  return body === undefined && (asked === undefined || nowMs - asked.atMs >= LATE_MS)
}

/** An answer may end early, where the next body would be too much: what follows the last one was not refused. */
function isLeftOut(bodies: readonly (MatchedBody | undefined)[], index: number): boolean {
  const last = bodies.findLastIndex((body) => body !== undefined)
  return bodies.length > 0 && (last === -1 || index < last)
}

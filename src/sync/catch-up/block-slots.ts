/** Blocks on their way into the chain, in order: headers that follow the head, and bodies as they arrive. */
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { type ChainedHeader, type ChainTip, tipOf } from './header-chain.ts'
import { knownBody, type MatchedBody } from './match-bodies.ts'

/** Maximum headers kept, which bounds what a malicious peer can make this node store. */
const MAX_SLOTS = 2_048
/** Maximum bytes of headers kept, not counting the answer that exceeds it. Seals are not hashed, so a peer may pad them. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024
/** Maximum bytes of bodies kept. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Maximum bodies per request. */
export const MAX_CHUNK = 64
/** Time after which a missing body is requested from a second peer. */
export const LATE_MS = 2_000
/** Limits of one import. */
const MAX_PART_BLOCKS = 256
const MAX_PART_BYTES = 4 * 1024 * 1024

/** A header and the peer that answers for it. */
export interface ShownHeader extends ChainedHeader {
  readonly from: EthPeer
}

export interface Slot extends ShownHeader {
  /** The last unsettled request for the body. */
  asked: { readonly peer: EthPeer; readonly atMs: number } | undefined
  /** Another peer did not have the body, so only the peer that sent the header is asked again. */
  isDoubted: boolean
  body: MatchedBody | undefined
}

/** Complete blocks that follow the head. */
export interface BlockPart {
  readonly blocks: readonly Uint8Array[]
  readonly transactions: readonly (readonly Transaction[])[]
  readonly tip: ChainTip
  /** The header of each block. */
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

  /** The last block that is kept or was taken; undefined if there is none. */
  get tip(): ChainTip | undefined {
    const last = this.#slots.at(-1)
    return last === undefined ? this.#taken : tipOf(last)
  }

  /** The kept header that contradicts a block of the chain. */
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

  /** Whether only this peer can send a missing body. */
  hasDoubted(peer: EthPeer): boolean {
    return this.#slots.some(({ from, isDoubted, body }) => from === peer && isDoubted && body === undefined)
  }

  /** The next block whose body must be requested; undefined if there is none or enough is kept. */
  nextMissing(nowMs: number): Slot | undefined {
    return this.#bodyBytes > MAX_BODY_BYTES ? undefined : this.#slots.find((slot) => isMissing(slot, nowMs))
  }

  /** Marks the block and similar ones after it as requested from `peer`: shown by the same peer, and all doubted or none. */
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

  /** Records the answer of a peer. Missing bodies may be requested again; an empty list means that the peer did not answer. */
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

  /** Returns undefined while the next block is incomplete. */
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

/** Whether the peer skipped the body: an answer may end early for its size, but not omit a body before its last. */
function isLeftOut(bodies: readonly (MatchedBody | undefined)[], index: number): boolean {
  const last = bodies.findLastIndex((body) => body !== undefined)
  return bodies.length > 0 && (last === -1 || index < last)
}

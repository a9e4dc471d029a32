/** Headers as a peer sends them, held against what they have to follow. */
import type { KnownHeader } from '#chain/block/stages.ts'
import type { Clock } from '#platform/clock.ts'
import { ethFault } from '#sync/faults.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'

const SECOND_MS = 1_000

export interface ChainedHeader {
  readonly hash: Hash
  readonly header: BlockHeader
  readonly encoded: Uint8Array
}

export interface ChainTip extends KnownHeader {
  readonly number: number
}

export function tipOf({ hash, header }: KnownHeader): ChainTip {
  return { hash, header, number: Number(header.number) }
}

/** `fork`: the first does not follow the tip, and the peer is on another chain. */
export type HeaderLink =
  | { readonly ok: true; readonly headers: readonly ChainedHeader[] }
  | { readonly ok: false; readonly why: 'fork' | 'broken'; readonly sentence: string }

/** Checks that each follows the one before it, and the first the tip. Seals are for `seal-check.ts`, all rules for the writer. */
export function linkHeaders(encoded: readonly Uint8Array[], tip: ChainTip, hashBlock: HashBlock): HeaderLink {
  const headers: ChainedHeader[] = []
  let { number, hash } = tip
  for (const bytes of encoded) {
    const next = readHeader(bytes, hashBlock)
    if (next.header.number !== BigInt(number + 1)) {
      const sentence = `The peer sent header ${next.header.number} where ${number + 1} was asked for.`
      return { ok: false, why: 'broken', sentence }
    }
    if (next.header.parentHash !== hash) {
      const sentence = `Header ${next.header.number} of the peer follows ${next.header.parentHash}, and block ${number} is ${hash}.`
      return { ok: false, why: headers.length === 0 ? 'fork' : 'broken', sentence }
    }
    headers.push(next)
    number += 1
    hash = next.hash
  }
  return { ok: true, headers }
}

/** Whether its time is yet to come, so that rules may refuse it now and not later. */
export function isAhead({ timestamp }: BlockHeader, clock: Clock): boolean {
  return Number(timestamp) * SECOND_MS > clock.wallMs()
}

/** A copy: what is kept must not hold the message that it came in. */
export function readHeader(bytes: Uint8Array, hashBlock: HashBlock): ChainedHeader {
  try {
    const encoded = bytes.slice()
    const header = decodeHeader(encoded)
    return { hash: hashBlock(header), header, encoded }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`The peer sent a header that is none. ${cause.data.sentence}`)
  }
}

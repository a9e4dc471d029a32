/** Links headers sent by a peer to the block they must follow. */
import type { KnownHeader } from '#chain/block/stages.ts'
import type { Clock } from '#platform/clock.ts'
import { ethFault } from '#sync/faults.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'

const SECOND_MS = 1_000

export interface ChainedHeader extends KnownHeader {
  readonly encoded: Uint8Array
}

export interface ChainTip extends KnownHeader {
  readonly number: number
}

export function tipOf({ hash, header }: KnownHeader): ChainTip {
  return { hash, header, number: Number(header.number) }
}

/** `fork` means that the first header does not follow the tip, so the peer is on another chain. */
export type HeaderLink =
  | { readonly ok: true; readonly headers: readonly ChainedHeader[] }
  | { readonly ok: false; readonly why: 'fork' | 'broken'; readonly sentence: string }

/** Checks that headers follow each other and the tip. `seal-check.ts` checks seals, and the writer all rules. */
export function linkHeaders(encoded: readonly Uint8Array[], tip: ChainTip, hashBlock: HashBlock): HeaderLink {
  const headers: ChainedHeader[] = []
  let { number, hash } = tip
  for (const bytes of encoded) {
    const next = readHeader(bytes, hashBlock)
    if (next.header.number !== BigInt(number + 1)) {
      const sentence = `The peer sent header ${next.header.number} instead of ${number + 1}.`
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

/** Whether the block is from the future: rules may refuse it now and accept it later. */
export function isAhead({ timestamp }: BlockHeader, clock: Clock): boolean {
  return Number(timestamp) * SECOND_MS > clock.wallMs()
}

/** Copies the bytes, so a kept header does not keep its message alive. */
export function readHeader(bytes: Uint8Array, hashBlock: HashBlock): ChainedHeader {
  try {
    const encoded = bytes.slice()
    const header = decodeHeader(encoded)
    return { hash: hashBlock(header), header, encoded }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`The peer sent a malformed header. ${cause.data.sentence}`)
  }
}

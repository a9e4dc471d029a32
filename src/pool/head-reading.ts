import { type HeadNews, readIncluded } from '#chain/writer/head-news.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'

/** What a piece of head news says about transactions. */
export interface HeadReading {
  /** Of the blocks that came. */
  readonly included: ReadonlySet<Hash>
  /** Whose accounts may have moved: those who sent something in blocks that came or went. */
  readonly senders: ReadonlySet<Address>
}

/** undefined: the news were too long to say it all. */
export function readHeadNews({ added, removed }: HeadNews): HeadReading | undefined {
  const included = new Set<Hash>()
  const senders = new Set<Address>()
  for (const { included: bytes } of added) {
    if (bytes === undefined) return undefined
    for (const { hash, sender } of readIncluded(bytes)) {
      included.add(hash)
      senders.add(sender)
    }
  }
  for (const { included: bytes } of removed) {
    if (bytes === undefined) return undefined
    for (const { sender } of readIncluded(bytes)) senders.add(sender)
  }
  return { included, senders }
}

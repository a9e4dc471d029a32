import { logText } from '#api/present/log-text.ts'
import type { BlockLogQuery, LogQuery } from '#api/schema/log-filter.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'

export interface HeadsWay {
  /** Blocks that left the chain, highest first. */
  readonly removed: readonly Hash[]
  /** New blocks, lowest first. */
  readonly added: readonly Hash[]
}

/** Follows parent hashes, so it is the path between exactly these two, wherever the chain is now. */
export function wayBetween({ lookup }: ChainView, since: HeadMark, head: HeadMark): HeadsWay {
  const removed: Hash[] = []
  const added: Hash[] = []
  let [left, right] = [headerOf(lookup, since.hash), headerOf(lookup, head.hash)]
  while (left.hash !== right.hash) {
    if (left.header.number > right.header.number) {
      removed.push(left.hash)
      left = headerOf(lookup, left.header.parentHash)
    } else {
      added.push(right.hash)
      right = headerOf(lookup, right.header.parentHash)
    }
  }
  return { removed, added: added.reverse() }
}

export function headerOf(lookup: ChainView['lookup'], hash: Hash): KnownHeader {
  const known = lookup.header(hash)
  assert(known !== undefined, 'Blocks that left the chain are kept as siblings.')
  return known
}

/** Logs of blocks that left the chain come first, marked as removed. */
export function* logTextsOnWay(
  { lookup }: ChainView,
  { removed, added }: HeadsWay,
  query: LogQuery | BlockLogQuery,
): Generator<string, void, undefined> {
  for (const hash of removed) {
    for (const log of lookup.logsOf(hash, query)) if (isInRange(log.block, query)) yield logText(log, true)
  }
  for (const hash of added) {
    for (const log of lookup.logsOf(hash, query)) if (isInRange(log.block, query)) yield logText(log)
  }
}

/** Only numbers bound the range; tags follow the chain. */
export function isInRange(block: FoundLog['block'], query: LogQuery | BlockLogQuery): boolean {
  if (query.kind === 'block') return block.hash === query.blockHash
  const { fromBlock, toBlock } = query
  if (fromBlock.kind === 'number' && block.number < fromBlock.number) return false
  return toBlock.kind !== 'number' || block.number <= toBlock.number
}

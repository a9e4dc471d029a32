import { rpcFault } from '#jsonrpc/errors.ts'

/** Blocks are executed and stored one by one, so a request must not ask for millions of them. */
export const MAX_MINED_BLOCKS = 10_000

export function requireBlocks(blocks: bigint): number {
  if (blocks <= BigInt(MAX_MINED_BLOCKS)) return Number(blocks)
  throw rpcFault('INVALID_PARAMS', { data: `A request produces at most ${MAX_MINED_BLOCKS} blocks.` })
}

/** A limit far beyond any calendar, within the timestamps of headers. */
const MAX_SECONDS = 2n ** 48n

export function countOf(seconds: bigint): number {
  if (seconds <= MAX_SECONDS) return Number(seconds)
  throw rpcFault('INVALID_PARAMS', { data: `${seconds} seconds are too many.` })
}

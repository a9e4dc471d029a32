import { rpcFault } from '#jsonrpc/errors.ts'

/** Blocks are executed and stored one by one, so a request must not ask for millions of them. */
export const MAX_MINED_BLOCKS = 10_000

export function requireBlocks(blocks: bigint): number {
  if (blocks <= BigInt(MAX_MINED_BLOCKS)) return Number(blocks)
  throw rpcFault('INVALID_PARAMS', { data: `A request produces at most ${MAX_MINED_BLOCKS} blocks.` })
}

/** Seconds fit into a number. */
export function countOf(seconds: bigint | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (seconds <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(seconds)
  throw rpcFault('INVALID_PARAMS', { data: `${seconds} seconds are too many.` })
}

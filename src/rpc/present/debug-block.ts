/** A whole block traced for a DEBUG method. */
import type { KnownBlock } from '#chain/read/lookup.ts'
import { rpcFault } from '#rpc/errors.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { type DebugReplayRequest, debugReplay } from './debug-replay.ts'
import type { TraceResources } from './trace-entries.ts'

/** An empty list where the state that the block was executed on is not kept, as Besu answers. */
export async function* debugBlock(
  resources: TraceResources,
  known: KnownBlock,
  request: Omit<DebugReplayRequest, 'position'>,
): AsyncGenerator<string, void, undefined> {
  if (known.block.header.number === 0n) throw rpcFault('GENESIS_BLOCK_NOT_TRACEABLE')
  let isBegun = false
  try {
    for await (const chunk of debugReplay(resources, known, request)) {
      isBegun = true
      yield chunk
    }
  } catch (error) {
    if (isBegun || !isStateUnavailable(error)) throw error
    yield '[]'
  }
}

/** Streamed answers that come from one chain from the first chunk to the last, even during a reorg. */
import type { BlockSelector } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Hash } from '#types/hash.ts'
import { isStateUnavailable } from './read-state.ts'
import { resolveBlock } from './resolve-block.ts'

/** With more reorgs than this, the request fails. */
const ATTEMPTS = 8

/** Thrown after a read if the chain has changed meanwhile. */
class ChainMoved extends Error {
  constructor() {
    super('the chain was reorganised meanwhile; ask again')
  }
}

/** Starts again if the chain changed before anything was sent; `read` gets the view to read. */
export async function* ofOneChain(
  chain: ChainView,
  read: (view: ChainView) => AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    let isBegun = false
    let held: string | undefined
    try {
      // The announced head may have left the chain already; then the stored head counts.
      for await (const chunk of read(attempt === 1 ? chain : { ...chain, head: chain.storedHead })) {
        if (held !== undefined) {
          yield held
          isBegun = true
        }
        held = chunk
      }
      // Only now: the source checks the chain once more after its last chunk, and a short answer is a single one.
      if (held !== undefined) yield held
      return
    } catch (error) {
      if (!(error instanceof ChainMoved)) throw error
      // What was sent cannot be withdrawn, so the answer breaks off.
      if (isBegun || attempt === ATTEMPTS) throw rpcFault('INTERNAL_ERROR', { reason: error.message })
      chain.catchUp()
    }
  }
}

/** Reads one block. A request that names a place, not a hash, starts again on the block that is there after a reorg. */
export function ofOneBlock(
  chain: ChainView,
  selector: BlockSelector,
  read: (view: ChainView, known: KnownHeader) => AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  return ofOneChain(chain, (view) => {
    const known = resolveBlock(view, selector)
    if (known === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    const chunks = read(view, known)
    return selector.kind === 'hash' ? chunks : whileCanonical(view, known.hash, chunks)
  })
}

/** While the last block of a range is canonical, so was everything read. `last` is undefined if it never was. */
export async function* whileCanonical(
  { lookup, unwinds }: ChainView,
  last: Hash | undefined,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  const hasMoved = (): boolean => last === undefined || !lookup.isCanonical(last)
  const unwindsBefore = unwinds()
  try {
    for await (const chunk of chunks) {
      if (hasMoved()) throw new ChainMoved()
      yield chunk
    }
  } catch (error) {
    // Any error was about blocks that are gone. After a rewind to the block itself, its state has to be opened again.
    const mayBeOpened = isStateUnavailable(error) && unwinds() !== unwindsBefore
    throw hasMoved() || mayBeOpened ? new ChainMoved() : error
  }
}

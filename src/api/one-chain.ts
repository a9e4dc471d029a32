/** Streamed answers that come from one chain from the first chunk to the last, even during a reorg. */
import type { ChainView } from '#chain/read/chain-view.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Hash } from '#types/hash.ts'

/** With more reorgs than this, the request fails. */
const ATTEMPTS = 5

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
    try {
      // The announced head may have left the chain already; then the stored head counts.
      for await (const chunk of read(attempt === 1 ? chain : { ...chain, head: chain.storedHead })) {
        yield chunk
        isBegun = true
      }
      return
    } catch (error) {
      if (!(error instanceof ChainMoved)) throw error
      // What was sent cannot be withdrawn, so the answer breaks off.
      if (isBegun || attempt === ATTEMPTS) throw rpcFault('INTERNAL_ERROR', { reason: error.message })
      chain.catchUp()
    }
  }
}

/** While the last block of a range is canonical, so was everything read. `last` is undefined if it never was. */
export async function* whileCanonical(
  { lookup }: ChainView,
  last: Hash | undefined,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  const hasMoved = (): boolean => last === undefined || !lookup.isCanonical(last)
  try {
    for await (const chunk of chunks) {
      if (hasMoved()) throw new ChainMoved()
      yield chunk
    }
  } catch (error) {
    // Any error was about blocks that are gone.
    throw hasMoved() ? new ChainMoved() : error
  }
}

/** Answers in pieces, of one chain from the first piece to the last even while it is reorganised. */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Hash } from '#types/hash.ts'
import { rpcFault } from './errors.ts'

/** A chain that is reorganised faster than this has no answer. */
const ATTEMPTS = 5

/** Thrown between a read and its answer when the chain is another one by now. */
class ChainMoved extends Error {
  constructor() {
    super('the chain was reorganised meanwhile; ask again')
  }
}

/** Begins again where the chain moved before anything was sent; `read` is given the view to read. */
export async function* ofOneChain(
  chain: ChainView,
  read: (view: ChainView) => AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    let isBegun = false
    try {
      // The announced head may have left the chain before that is announced: then the stored one is the head.
      for await (const chunk of read(attempt === 1 ? chain : { ...chain, head: chain.storedHead })) {
        yield chunk
        isBegun = true
      }
      return
    } catch (error) {
      if (!(error instanceof ChainMoved)) throw error
      // What was sent cannot be taken back: the answer breaks off.
      if (isBegun || attempt === ATTEMPTS) throw rpcFault('INTERNAL_ERROR', { reason: error.message })
      chain.catchUp()
    }
  }
}

/**
 * As long as the last block of a range is canonical, so is every block below it, and so was all that was read. undefined:
 * it had left the chain before it was read.
 */
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
    // Whatever was wrong, it was about blocks that are gone.
    throw hasMoved() ? new ChainMoved() : error
  }
}

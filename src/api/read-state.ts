/** State at one block: opened, read and confirmed, so no answer mixes two blocks. */

import type { BlockSelector } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView, PinnedState } from '#chain/read/chain-view.ts'
import { Fault } from '#types/fault.ts'
import { resolveBlock } from './resolve-block.ts'

/** With more reorgs than this, there is no such state. */
export const READ_ATTEMPTS = 8

export type PinnedRead<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'no block' | 'no state' }

/**
 * Returns what `read` makes of one block. `read` throws STATE_UNAVAILABLE if the state is not kept or the chain was
 * reorganised; then it runs again, on the block that is there now if the request named a place.
 */
export function readPinned<Value>(
  chain: ChainView,
  selector: BlockSelector,
  read: (block: KnownHeader) => Value,
): PinnedRead<Value> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    // The announced head may have left the chain already; then the stored head counts.
    const block = resolveBlock(attempt === 0 ? chain : { ...chain, head: chain.storedHead }, selector)
    if (block === undefined) return { ok: false, reason: 'no block' }
    try {
      return { ok: true, value: read(block) }
    } catch (error) {
      if (!isStateUnavailable(error)) throw error
      if (Number(block.header.number) < chain.lowestState()) break
      if (selector.kind === 'hash' && !chain.lookup.isCanonical(block.hash)) break
      chain.catchUp()
    }
  }
  return { ok: false, reason: 'no state' }
}

/** Undefined if there is no such block, or its state is not kept. */
export function readState<Value>(
  chain: ChainView,
  selector: BlockSelector,
  read: (state: PinnedState, block: KnownHeader) => Value,
): Value | undefined {
  const verdict = readPinned(chain, selector, (block) => {
    const state = chain.pinState(block)
    const value = read(state, block)
    state.confirm()
    return value
  })
  return verdict.ok ? verdict.value : undefined
}

/** The state after exactly this block. Throws STATE_UNAVAILABLE if it is not canonical or not kept. */
export function openState(chain: ChainView, { hash, header }: KnownHeader): PinnedState {
  return chain.stateAt(Number(header.number), hash)
}

/** Called after the last read by block number: the data was this block's if it is still canonical. */
export function requireCanonical({ lookup }: ChainView, { hash }: KnownHeader): void {
  if (lookup.isCanonical(hash)) return
  const sentence = 'The block is not on the canonical chain, and only those keep their state.'
  throw new Fault('STATE_UNAVAILABLE', { sentence })
}

export function isStateUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'STATE_UNAVAILABLE'
}

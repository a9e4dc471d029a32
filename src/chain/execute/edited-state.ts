/** The state of a block with the edits made after it, which the next block applies first (store/edits.ts). */
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { type StateSource, withBlockHashes } from '#evm/state-lookup.ts'
import type { StateReader } from '#store/store.ts'
import type { Keccak } from '#types/keccak.ts'

export type EditList = readonly Uint8Array[]

export const NO_EDITS: EditList = []

/** `blockHash` answers the state source; states that are only read need none. */
export function overlayOf(
  state: StateReader,
  edits: EditList,
  keccak: Keccak,
  blockHash: StateSource['blockHash'] = () => undefined,
): OverlayState {
  const overlay = new OverlayState(withBlockHashes(state, blockHash), keccak)
  for (const changes of edits) overlay.apply(changes)
  return overlay
}

/** Joins edits and the changes of an execution after them into net changes to `state`. */
export function joinEdits(
  state: StateReader,
  edits: EditList,
  changes: Uint8Array,
  keccak: Keccak,
): Uint8Array {
  if (edits.length === 0) return changes
  return overlayOf(state, [...edits, changes], keccak).changesWithCode()
}

import type { PinnedState } from '#chain/read/chain-view.ts'

/**
 * What `read` makes of a state, or why it fails: a call that reverts is an answer too. Both count only if the chain has not
 * left the state meanwhile; otherwise STATE_UNAVAILABLE is thrown in their place, and the request begins anew.
 */
export async function confirmed<Value>(
  pinned: Pick<PinnedState, 'confirm'>,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await read()
  } finally {
    pinned.confirm()
  }
}

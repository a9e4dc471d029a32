/**
 * When a restarted validator is ready, for rolling restarts. It must be in sync with its peers. If they are late with a block,
 * that block must be made first: they were missing this node, and the node stopped next may be the proposer.
 */
import type { BftStatus } from '#consensus/status.ts'

const CATCHES_UP =
  'This validator was started a moment ago and has not been as far as its peers since; it votes when it is.'

export class Joining {
  /** The height when the node was first in sync. */
  #height: number | undefined
  #isOver = false

  /** Why this validator is not ready yet; undefined from then on. */
  async reason(
    { height, stage, cause }: Pick<BftStatus, 'height' | 'stage' | 'cause'>,
    isInSync: () => Promise<boolean>,
  ): Promise<string | undefined> {
    if (this.#isOver) return undefined
    if (!(await isInSync())) return CATCHES_UP
    this.#height ??= height
    this.#isOver = height > this.#height || stage === 'waitingForTime'
    if (this.#isOver) return undefined
    return `This validator was started a moment ago, and no block has been made with it since. ${cause}`
  }
}

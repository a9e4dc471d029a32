/**
 * When a validator that was started counts for whoever restarts a network node by node. It must be as far as its peers; and
 * where they are late with a block, that block must come first: it was this node that they missed, and the one that is
 * stopped next may be the one whose turn it is then.
 */
import type { BftStatus } from '#consensus/status.ts'

const CATCHES_UP =
  'This validator was started a moment ago and has not been as far as its peers since; it votes when it is.'

export class Joining {
  /** Of the block that was being made when it was first in step. */
  #height: number | undefined
  #isOver = false

  /** Why this validator does not count yet; undefined: it does, from now on. */
  async reason(
    { height, stage, cause }: Pick<BftStatus, 'height' | 'stage' | 'cause'>,
    isInStep: () => Promise<boolean>,
  ): Promise<string | undefined> {
    if (this.#isOver) return undefined
    if (!(await isInStep())) return CATCHES_UP
    this.#height ??= height
    this.#isOver = height > this.#height || stage === 'waitingForTime'
    if (this.#isOver) return undefined
    return `This validator was started a moment ago, and no block has been made with it since. ${cause}`
  }
}

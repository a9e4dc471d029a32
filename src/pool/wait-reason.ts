/**
 * Why a transaction waits. `turn`: nothing is in its way. `gap`: a nonce before it is missing. `behind`: one of its sender
 * before it waits. `blockSize`: the last block had too few bytes left for it. `slow`: the time of a block was up while it was running, so that it is tried after all others.
 */
export const WAIT_REASONS = [
  'turn',
  'gap',
  'behind',
  'price',
  'balance',
  'permission',
  'gasLimit',
  'blockSize',
  'slow',
] as const

export type WaitReason = (typeof WAIT_REASONS)[number]

/** What was found out when a block was built. */
export interface WaitNote {
  readonly reason: WaitReason
  readonly sentence: string
  /** By the clock on the wall. */
  readonly sinceMs: number
}

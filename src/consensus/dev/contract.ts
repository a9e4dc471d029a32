import { question } from '#platform/contract.ts'

/** The development network, as its methods see it. */
export const DEV = {
  /** Whether every transaction gets a block at once. */
  isInstant: question<[], boolean>(),
  /** Produces blocks now, also empty ones. Resolves when every server answers from the last one. */
  mine: question<[request: MiningRequest], void>({ deadlineMs: 300_000 }),
}

export interface MiningRequest {
  readonly blocks: number
  /** Seconds between the blocks. */
  readonly intervalSeconds: number
  /** Unix time of the first block. */
  readonly timestamp: number | undefined
}

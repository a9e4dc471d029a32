import { question } from '#platform/contract.ts'

/** For requests that write many blocks. */
const LONG_MS = 300_000

/** The development network, as its methods see it. */
export const DEV = {
  /** Whether every transaction gets a block at once. */
  automines: question<[], boolean>(),
  setAutomine: question<[isOn: boolean], void>(),
  /** Produces blocks now, also empty ones. Resolves when every server answers from the last one. */
  mine: question<[request: MiningRequest], void>({ deadlineMs: LONG_MS }),
  /** Returns how many seconds the time of blocks is ahead of the clock. */
  increaseTime: question<[seconds: number], number>(),
  /** Returns false if the time is not after the last block. */
  setNextTimestamp: question<[timestamp: number], boolean>(),
  /** Returns the id of a snapshot of the head. */
  snapshot: question<[], string>(),
  /** Rewinds to a snapshot. Returns false if its block is not on the chain. */
  revert: question<[id: bigint], boolean>({ deadlineMs: LONG_MS }),
}

export interface MiningRequest {
  readonly blocks: number
  /** Seconds between the blocks. */
  readonly intervalSeconds: number
  /** Unix time of the first block. */
  readonly timestamp: number | undefined
}

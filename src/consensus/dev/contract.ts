import type { UpcomingBlock } from '#chain/read/call-site.ts'
import type { AccountEdit } from '#chain/write/create-chain.ts'
import { question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { NextBlockFields } from './dev-proposer.ts'

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
  /** Produces a block every few seconds; with 0, blocks follow transactions, if automining is on. */
  setPeriod: question<[seconds: number], void>(),
  /** Sets the seconds between the times of blocks. Undefined follows the clock again. */
  setTimestampInterval: question<[seconds: number | undefined], void>(),
  setCoinbase: question<[coinbase: Address], void>(),
  setNextBlock: question<[fields: NextBlockFields], void>(),
  /** The next block as the proposer would build it now. */
  nextBlock: question<[], UpcomingBlock>(),
  setMinGasPrice: question<[wei: bigint], void>(),
  /** Sets whether each transaction gets a log line. */
  setLogging: question<[isOn: boolean], void>(),
  /** Sets whether the node sends transactions of an account without its key; without an address, of all accounts. */
  setImpersonation: question<[address: Address | undefined, isOn: boolean], void>(),
  impersonates: question<[address: Address], boolean>(),
  /** Drops a transaction from the pool. Returns false if it is not there. */
  drop: question<[hash: Hash], boolean>(),
  dropAll: question<[], void>(),
  /** A random number of this start. */
  instanceId: question<[], Hash>(),
  /** Rewinds to block 0 and forgets transactions, edits, snapshots, settings and impersonations. */
  reset: question<[], void>({ deadlineMs: LONG_MS }),
  /** Resolves when no other transaction is being completed and sent. Ends with endTurn, or after a time. */
  takeTurn: question<[], SendingTurn>({ deadlineMs: LONG_MS }),
  endTurn: question<[turn: number], void>(),
  /** Edits accounts. Resolves when every server answers from the edited state. */
  edit: question<[edits: readonly AccountEdit[]], void>({ deadlineMs: LONG_MS, maxArgBytes: undefined }),
  /** Returns the id of a snapshot of the state. */
  snapshot: question<[], number>(),
  /** Rewinds to a snapshot. Returns false if it is not known or not on the chain. */
  revert: question<[id: number], boolean>({ deadlineMs: LONG_MS }),
}

export interface SendingTurn {
  readonly turn: number
  readonly next: UpcomingBlock
}

export interface MiningRequest {
  readonly blocks: number
  /** Seconds between the blocks. */
  readonly intervalSeconds: number
  /** Unix time of the first block. */
  readonly timestamp: number | undefined
}

import type { ForkChoice } from '#chain/write/fork-choice.ts'
import type { BuildAnswer } from '#chain/writer/build-answer.ts'
import { type OwnerOf, question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import { MAX_BLOCK_BYTES } from '#types/block/block.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import type { Hash } from '#types/hash.ts'

/** Longer than consensus clients wait. The work continues, and their next attempt finds it done. */
const BLOCK_DEADLINE_MS = 60_000
const CHOICE_DEADLINE_MS = 600_000
const PAYLOAD_DEADLINE_MS = 30_000

/** The choices of a consensus client, as the methods of its port see them. */
export const FORKCHOICE = {
  /** Validates a block and stores it. */
  offer: question<[block: OfferedBlock], PayloadStatus>({
    deadlineMs: BLOCK_DEADLINE_MS,
    maxArgBytes: MAX_BLOCK_BYTES,
  }),
  /** Makes a block the head and, with attributes, begins to build a block on it. */
  choose: question<[choice: ForkChoice, attributes: PayloadAttributes | null], ChoiceAnswer>({
    deadlineMs: CHOICE_DEADLINE_MS,
  }),
  /** The best block built so far; building ends. Null if the id is unknown or no block could be built. */
  payload: question<[id: string], ReadyPayload | null>({ deadlineMs: PAYLOAD_DEADLINE_MS }),
}

export type LiveForkchoice = OwnerOf<typeof FORKCHOICE>

export interface OfferedBlock {
  readonly hash: Hash
  readonly parentHash: Hash
  /** RLP, in shared memory if it is long. */
  readonly encoded: Uint8Array
}

export interface ReadyPayload extends BuildAnswer {
  /** The transactions with blobs as peers exchange them, in order. */
  readonly withBlobs: readonly Uint8Array[]
}

export interface PayloadStatus {
  readonly status: 'VALID' | 'INVALID' | 'SYNCING' | 'ACCEPTED'
  readonly latestValidHash: Hash | null
  readonly validationError: string | null
}

export interface PayloadAttributes {
  readonly timestamp: bigint
  readonly prevRandao: Hash
  readonly suggestedFeeRecipient: Address
  readonly withdrawals: readonly Withdrawal[]
  readonly parentBeaconBlockRoot: Hash
}

export type ChoiceAnswer =
  | {
      readonly kind: 'status'
      readonly payloadStatus: PayloadStatus
      /** Null if no block is being built. */
      readonly payloadId: string | null
    }
  | { readonly kind: 'INVALID_FORKCHOICE_STATE' }
  /** The block to build would not be later than the head. */
  | { readonly kind: 'INVALID_PAYLOAD_ATTRIBUTES' }
  | { readonly kind: 'TOO_DEEP_REORG'; readonly sentence: string }

/**
 * The room `engine-api` answers a consensus client about its blocks and choices, and builds blocks for it.
 * It owns neither the port nor JSON, which belong to `jsonrpc` and `api`, nor blocks, which belong to `chain`.
 */
import type { ForkChoice } from '#chain/write/fork-choice.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import { addressToBytes } from '#types/address.ts'
import { encodeWithdrawal } from '#types/block/withdrawal.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type {
  ChoiceAnswer,
  LiveForkchoice,
  OfferedBlock,
  PayloadAttributes,
  PayloadStatus,
} from './contract.ts'
import { type BuildingParts, PayloadBuilds } from './payload-builds.ts'

const PAYLOAD_ID_BYTES = 8
const UINT64_BYTES = 8
/** A consensus client shows a few branches at most; an attacker needs its secret. */
const MAX_INVALID_BLOCKS = 1_024
const MAX_REFUSED_HEADS = 1_024
const SYNCING: PayloadStatus = { status: 'SYNCING', latestValidHash: null, validationError: null }
const ACCEPTED: PayloadStatus = { status: 'ACCEPTED', latestValidHash: null, validationError: null }

export interface ForkChooserParts extends BuildingParts {
  readonly writer: Pick<ChainWriter, 'offer' | 'choose' | 'build'>
  readonly keccak: Keccak
  /** Fetches a block and its missing ancestors from peers, and passes them to `takeBranch`. */
  readonly sync: { seek(head: Hash): void }
}

interface KnownInvalid {
  /** The last ancestor known to be valid. */
  readonly lastValid: Hash | null
  readonly sentence: string
}

export class ForkChooser implements LiveForkchoice {
  readonly #parts: ForkChooserParts
  /** Descendants of these blocks are invalid without being executed. */
  readonly #invalid = new BoundedMap<Hash, KnownInvalid>(MAX_INVALID_BLOCKS)
  /** Heads of branches that leave the chain too deep, and their descendants, with the reason. */
  readonly #refused = new BoundedMap<Hash, string>(MAX_REFUSED_HEADS)
  readonly #builds: PayloadBuilds
  /** Whether the head of the last choice, or one of its ancestors, is not known. */
  #isSeeking = false

  constructor(parts: ForkChooserParts) {
    this.#parts = parts
    this.#builds = new PayloadBuilds(parts)
  }

  async offer({ hash, parentHash, encoded }: OfferedBlock): Promise<PayloadStatus> {
    const known = this.#invalid.get(hash) ?? this.#invalid.get(parentHash)
    if (known !== undefined) return invalidStatus(this.#noteInvalid([hash], known))
    try {
      const verdict = await this.#parts.writer.offer(encoded)
      if (verdict.ok) return verdict.status === 'valid' ? validStatus(hash) : ACCEPTED
      if (verdict.reason === 'UNKNOWN_PARENT') {
        const refusal = this.#refused.get(parentHash)
        if (refusal !== undefined) this.#refused.set(hash, refusal)
        return SYNCING
      }
      const { sentence, lastValid = null } = verdict
      return invalidStatus(this.#noteInvalid([hash], { sentence, lastValid }))
    } catch (error) {
      // The bytes are not a block: a transaction cannot be decoded.
      if (!(error instanceof Fault) || error.kind !== 'INVALID_BLOCK') throw error
      return invalidStatus({ sentence: error.message, lastValid: null })
    }
  }

  async choose(choice: ForkChoice, attributes: PayloadAttributes | null): Promise<ChoiceAnswer> {
    const { head } = choice
    const known = this.#invalid.get(head)
    if (known !== undefined) return answer(invalidStatus(known))
    const refusal = this.#refused.get(head)
    if (refusal !== undefined) return this.#refuse(refusal)
    const verdict = await this.#parts.writer.choose(choice)
    this.#isSeeking = !verdict.ok && verdict.reason === 'UNKNOWN'
    if (verdict.ok)
      return verdict.isOld ? answer(validStatus(head)) : this.#chosen(choice, verdict, attributes)
    switch (verdict.reason) {
      case 'UNKNOWN':
        this.#parts.sync.seek(head)
        return answer(SYNCING)
      case 'INCONSISTENT':
        return { kind: 'INVALID_FORKCHOICE_STATE' }
      case 'TOO_DEEP':
        return { kind: 'TOO_DEEP_REORG', sentence: verdict.sentence }
      case 'INVALID':
        return answer(invalidStatus(this.#noteInvalid([head, verdict.invalid], verdict)))
    }
  }

  async payload(id: string) {
    return (await this.#builds.take(id)) ?? null
  }

  /**
   * Takes blocks up to a sought head, lowest first. They become canonical, since the client chose their descendant. Returns
   * false if the client chose a known block meanwhile, or a block is invalid.
   */
  async takeBranch(head: Hash, blocks: readonly Uint8Array[]): Promise<boolean> {
    const { writer } = this.#parts
    let last = ZERO_HASH
    for (const block of blocks) {
      if (!this.#isSeeking) return false
      const verdict = await writer.offer(block)
      if (!verdict.ok) {
        const { reason, sentence, lastValid = null } = verdict
        if (reason !== 'UNKNOWN_PARENT') this.#noteInvalid([head], { sentence, lastValid })
        return false
      }
      last = verdict.hash
    }
    if (!this.#isSeeking) return false
    const verdict = await writer.choose({ head: last, safe: ZERO_HASH, finalized: ZERO_HASH })
    if (!verdict.ok && verdict.reason === 'INVALID') this.#noteInvalid([head, verdict.invalid], verdict)
    if (!verdict.ok && verdict.reason === 'TOO_DEEP') this.refuseBranch(head, verdict.sentence)
    return verdict.ok
  }

  /** Records that a sought head can never become canonical, because its branch leaves the chain too deep. */
  refuseBranch(head: Hash, sentence: string): void {
    this.#refused.set(head, sentence)
  }

  stop(): void {
    this.#builds.endAll()
  }

  #refuse(sentence: string): ChoiceAnswer {
    this.#isSeeking = false
    return { kind: 'TOO_DEEP_REORG', sentence }
  }

  #noteInvalid(hashes: readonly Hash[], { sentence, lastValid }: KnownInvalid): KnownInvalid {
    const known = { sentence, lastValid }
    for (const hash of hashes) this.#invalid.set(hash, known)
    return known
  }

  #chosen(
    { head }: ForkChoice,
    { timestamp }: { readonly timestamp: bigint },
    attributes: PayloadAttributes | null,
  ): ChoiceAnswer {
    if (attributes === null) return answer(validStatus(head))
    if (attributes.timestamp <= timestamp) return { kind: 'INVALID_PAYLOAD_ATTRIBUTES' }
    const payloadId = this.#idOf(head, attributes)
    this.#builds.begin(payloadId, head, attributes)
    return answer(validStatus(head), payloadId)
  }

  /** The same choice and attributes have the same id. */
  #idOf(head: Hash, attributes: PayloadAttributes): string {
    const { timestamp, prevRandao, suggestedFeeRecipient, withdrawals, parentBeaconBlockRoot } = attributes
    const digest = this.#parts.keccak(
      concatBytes(
        hashToBytes(head),
        bigintToBytes(timestamp, UINT64_BYTES),
        hashToBytes(prevRandao),
        addressToBytes(suggestedFeeRecipient),
        hashToBytes(parentBeaconBlockRoot),
        ...withdrawals.map(encodeWithdrawal),
      ),
    )
    return `0x${Buffer.from(digest.subarray(0, PAYLOAD_ID_BYTES)).toString('hex')}`
  }
}

function answer(payloadStatus: PayloadStatus, payloadId: string | null = null): ChoiceAnswer {
  return { kind: 'status', payloadStatus, payloadId }
}

function validStatus(hash: Hash): PayloadStatus {
  return { status: 'VALID', latestValidHash: hash, validationError: null }
}

function invalidStatus({ lastValid, sentence }: KnownInvalid): PayloadStatus {
  return { status: 'INVALID', latestValidHash: lastValid, validationError: sentence }
}

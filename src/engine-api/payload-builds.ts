/** Blocks that are being built for a consensus client: each is built again with newer transactions until it is requested. */

import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import type { PayloadAttributes, ReadyPayload } from './contract.ts'
import { ENGINE_PROBLEMS } from './log-problems.ts'

/** Time between two attempts. */
const IMPROVE_MS = 500
/** A slot of mainnet. The consensus client no longer wants a block after it. */
const MAX_BUILDING_MS = 12_000
/** The chain keeps sixteen executed blocks, and a build must not displace those of the client. */
const MAX_ATTEMPTS = 6
/** A client may request a block again; it prepares one per slot. */
const MAX_PAYLOADS = 8

export interface BuildingParts {
  readonly writer: Pick<ChainWriter, 'build'>
  readonly candidates: CandidateSource & {
    additionCount(): number
    /** A transaction with its blobs, as peers exchange it; undefined if they are not known any more. */
    blobsOf(hash: Hash): { readonly encoded: Uint8Array } | undefined
  }
  readonly building: () => BuildingSettings
  readonly budgetMs: number
  readonly clock: Clock
  readonly log: Log
}

export class PayloadBuilds {
  readonly #parts: BuildingParts
  readonly #byId = new Map<string, PayloadBuild>()

  constructor(parts: BuildingParts) {
    this.#parts = parts
  }

  /** Continues a build that has the same id, and ends the others. */
  begin(id: string, parent: Hash, attributes: PayloadAttributes): void {
    for (const [other, build] of this.#byId) if (other !== id) build.end()
    if (this.#byId.has(id)) return
    this.#byId.set(id, new PayloadBuild(this.#parts, templateOf(parent, attributes, this.#parts.building())))
    const oldest = this.#byId.keys().next()
    if (this.#byId.size > MAX_PAYLOADS && !oldest.done) this.#byId.delete(oldest.value)
  }

  /** Undefined if the id is not known, or no block could be built. */
  async take(id: string): Promise<ReadyPayload | undefined> {
    return await this.#byId.get(id)?.take()
  }

  endAll(): void {
    for (const build of this.#byId.values()) build.end()
  }
}

class PayloadBuild {
  readonly #parts: BuildingParts
  readonly #template: BlockTemplate
  readonly #ended = new AbortController()
  readonly #endMs: number
  readonly #first: Promise<void>
  #best: ReadyPayload | undefined
  #attempts = 0
  #additions = 0
  #timer: Timer | undefined

  constructor(parts: BuildingParts, template: BlockTemplate) {
    this.#parts = parts
    this.#template = template
    this.#endMs = parts.clock.monotonicMs() + MAX_BUILDING_MS
    this.#first = this.#attempt()
  }

  async take(): Promise<ReadyPayload | undefined> {
    this.end()
    await this.#first
    return this.#best
  }

  /** The first attempt is completed. */
  end(): void {
    this.#ended.abort()
    this.#timer?.cancel()
  }

  #wait(): void {
    const { clock } = this.#parts
    const isOver =
      this.#ended.signal.aborted || this.#attempts >= MAX_ATTEMPTS || clock.monotonicMs() >= this.#endMs
    if (isOver) return
    this.#timer = clock.after(IMPROVE_MS, () => this.#improve(), { unref: true })
  }

  #improve(): void {
    if (this.#parts.candidates.additionCount() === this.#additions) this.#wait()
    else void this.#attempt(this.#ended.signal)
  }

  async #attempt(signal?: AbortSignal): Promise<void> {
    const { writer, candidates, budgetMs, log } = this.#parts
    this.#attempts++
    this.#additions = candidates.additionCount()
    try {
      const built = await writer.build(this.#template, candidates, { budgetMs, ...(signal && { signal }) })
      const withBlobs = built.blobTransactions.flatMap((hash) => candidates.blobsOf(hash)?.encoded ?? [])
      // A block is useless without its blobs. They are taken at once, because the pool may drop them before the request.
      const isComplete = withBlobs.length === built.blobTransactions.length
      if (isComplete && (this.#best === undefined || built.tipsWei > this.#best.tipsWei)) {
        this.#best = { ...built, withBlobs }
      }
      this.#wait()
    } catch (err) {
      // The client chose another head meanwhile, or requested the block.
      const isOver = signal?.aborted || (err instanceof Fault && err.kind === 'NOT_ON_HEAD')
      if (!isOver) log.error(ENGINE_PROBLEMS.buildFailed, { err })
    }
  }
}

function templateOf(
  parent: Hash,
  attributes: PayloadAttributes,
  { targetGasLimit, extraData }: BuildingSettings,
): BlockTemplate {
  const { timestamp, prevRandao, suggestedFeeRecipient, withdrawals, parentBeaconBlockRoot } = attributes
  return {
    parent,
    timestamp,
    coinbase: suggestedFeeRecipient,
    extraData,
    difficulty: 0n,
    mixHash: prevRandao,
    nonce: 0n,
    targetGasLimit,
    fixedBaseFeeWei: undefined,
    withdrawals,
    parentBeaconBlockRoot,
  }
}

/**
 * Imports many blocks at once, from a file or from peers. Apart from execution, a block mostly costs the sync of its
 * batch, so several share one, and the next blocks are executed while it is written.
 */

import type { ExecutedBlock, InvalidBlock, KnownHeader, ReceivedBlock } from '#chain/block/stages.ts'
import type { ExecutionVerdict } from '#chain/execute/execute.ts'
import type { StateVersion } from '#store/store.ts'

export type Blocks = AsyncIterable<ReceivedBlock> | Iterable<ReceivedBlock>

export interface BulkOptions {
  /** Called when a batch is durable. */
  readonly onCommitted?: (progress: BulkProgress) => void
  /** Stops the import before the next block. */
  readonly isCancelled?: () => boolean
}

export interface BulkProgress {
  readonly head: KnownHeader
  /** Blocks imported since the beginning, without known ones. */
  readonly imported: number
}

export type BulkVerdict =
  | { readonly ok: true; readonly imported: number; readonly known: number }
  | (InvalidBlock & { readonly imported: number; readonly block: KnownHeader })

export interface BulkChain {
  head(): KnownHeader & { readonly state: StateVersion }
  isKnown(block: ReceivedBlock): boolean
  execute(block: ReceivedBlock, parent: KnownHeader, state: StateVersion): Promise<ExecutionVerdict>
  commit(blocks: readonly ExecutedBlock[]): Promise<void>
}

/** Limits of one batch. Two batches are in memory, one filling and one being written; a power failure loses both. */
const MAX_BATCH_BLOCKS = 32
const MAX_BATCH_KEYS = 20_000
const MAX_BATCH_BYTES = 8 * 1024 * 1024

export async function importInBatches(
  blocks: Blocks,
  { onCommitted, isCancelled = () => false }: BulkOptions,
  chain: BulkChain,
): Promise<BulkVerdict> {
  const batch = new Batch(chain, onCommitted)
  let known = 0
  let tip = chain.head()
  try {
    for await (const received of blocks) {
      if (isCancelled()) break
      if (chain.isKnown(received)) {
        known++
        continue
      }
      const { hash, block } = received
      const verdict = await execute(chain, received, tip)
      if (!verdict.ok) {
        await batch.finish()
        return { ...verdict, imported: batch.committed, block: { hash, header: block.header } }
      }
      tip = { hash, header: block.header, state: verdict.executed.stored.state }
      await batch.add(verdict.executed)
    }
  } catch (error) {
    // Blocks executed before the failure are still valid.
    await batch.finish()
    throw error
  }
  await batch.finish()
  return { ok: true, imported: batch.committed, known }
}

async function execute(
  chain: BulkChain,
  received: ReceivedBlock,
  tip: KnownHeader & { readonly state: StateVersion },
): Promise<ExecutionVerdict> {
  const { header } = received.block
  if (header.parentHash === tip.hash) return chain.execute(received, tip, tip.state)
  const sentence = `Block ${header.number} has the parent ${header.parentHash}, and the head is block ${tip.header.number}, ${tip.hash}.`
  return { ok: false, reason: 'UNKNOWN_PARENT', sentence }
}

class Batch {
  committed = 0
  readonly #chain: BulkChain
  readonly #onCommitted: BulkOptions['onCommitted']
  #waiting: ExecutedBlock[] = []
  #keys = 0
  #bytes = 0
  #underWay: Promise<void> = Promise.resolve()

  constructor(chain: BulkChain, onCommitted: BulkOptions['onCommitted']) {
    this.#chain = chain
    this.#onCommitted = onCommitted
  }

  async add(block: ExecutedBlock): Promise<void> {
    const { stored } = block
    this.#waiting.push(block)
    this.#keys += stored.state.changedKeys
    this.#bytes += stored.body.length + (stored.receipts?.length ?? 0) + (stored.callTrees?.length ?? 0)
    const isFull =
      this.#waiting.length >= MAX_BATCH_BLOCKS ||
      this.#keys >= MAX_BATCH_KEYS ||
      this.#bytes >= MAX_BATCH_BYTES
    if (isFull) await this.#startCommit()
  }

  async finish(): Promise<void> {
    await this.#startCommit()
    await this.#underWay
  }

  /** Waits for the previous commit: the store takes one at a time, and memory stays bounded. */
  async #startCommit(): Promise<void> {
    await this.#underWay
    const blocks = this.#waiting
    this.#waiting = []
    this.#keys = 0
    this.#bytes = 0
    this.#underWay = this.#commit(blocks)
    // The next await reports a failure; until then it must not count as an unhandled rejection.
    this.#underWay.catch(() => undefined)
  }

  async #commit(blocks: readonly ExecutedBlock[]): Promise<void> {
    const last = blocks.at(-1)
    if (last === undefined) return
    await this.#chain.commit(blocks)
    this.committed += blocks.length
    this.#onCommitted?.({ head: { hash: last.hash, header: last.block.header }, imported: this.committed })
  }
}

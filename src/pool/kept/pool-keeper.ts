/**
 * Saves the pool to a file (pool-lines.ts). A transaction sent to this node is written before the client gets an answer, so a
 * crash loses none; transactions from peers are added when the node stops. At start, all of them pass the same checks as
 * transactions from outside.
 */
import type { Clock } from '#platform/clock.ts'
import { type AppendFile, openAppendFile } from '#platform/files/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Signal } from '#platform/signal.ts'
import type { Intake, IntakeVerdict } from '#pool/intake.ts'
import { POOL_PROBLEMS } from '#pool/log-problems.ts'
import type { PoolItem, PoolPage } from '#pool/pool-item.ts'
import type { PoolAddition, SubmittedBlobs, TransactionOrigin } from '#pool/submitted-transaction.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { FIRST_LINE, formatLine, isPoolFile, type KeptTransaction, parseLines } from './pool-lines.ts'

export interface KeeperParts {
  readonly path: string
  readonly maxFileBytes: number
  readonly pool: KeptPool
  /** Where saved transactions are submitted, by their origin. */
  readonly intakes: Readonly<Record<TransactionOrigin, Pick<Intake, 'submit'>>>
  readonly keccak: Keccak
  readonly clock: Clock
  readonly log: Log
}

export interface KeptPool {
  readonly added: Signal<readonly PoolAddition[]>
  list(fromArrival: number): PoolPage<number>
  /** The blobs of a transaction. */
  blobsOf(hash: Hash): SubmittedBlobs | undefined
}

/** A shorter file is never rewritten to drop transactions that left the pool. */
const MIN_REWRITTEN_BYTES = 4 * 1024 * 1024
/** Maximum duration of a restore, so a start does not take forever. */
const MAX_RESTORING_MS = 40_000
/** Pause after a failed write. */
const RETRY_MS = 10_000
/** A longer file is rewritten when it has grown by this factor since the last rewrite. */
const MAX_GROWTH = 2

/** Returns undefined if the path holds something else, which is left alone. */
export async function openPoolKeeper(parts: KeeperParts): Promise<PoolKeeper | undefined> {
  try {
    const content = readPoolFile(parts)
    if (content === undefined) return undefined
    const file = await openAppendFile(parts.path, content.length)
    return new PoolKeeper(parts, file, content)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    parts.log.error(POOL_PROBLEMS.notSaved, { path: parts.path, reason: error.data.sentence })
    return undefined
  }
}

export class PoolKeeper {
  readonly #parts: KeeperParts
  readonly #file: AppendFile
  /** The content at start, until it is restored. */
  #content: Uint8Array | undefined
  #unsubscribe = (): void => undefined
  /** Lines that are not in the file yet. */
  #lines: string[] = []
  #lastWrite: Promise<void> = Promise.resolve()
  /** Writes the pending lines once the previous write is done. */
  #nextWrite: Promise<void> | undefined
  /** The first write replaces the file, since its last line may be incomplete. */
  #mustRewrite = true
  #rewriteAboveBytes = MIN_REWRITTEN_BYTES
  /** Monotonic time of the next attempt; 0 if the last write succeeded. */
  #triesAgainAtMs = 0

  constructor(parts: KeeperParts, file: AppendFile, content: Uint8Array) {
    this.#parts = parts
    this.#file = file
    this.#content = content
  }

  /** Logs how many transactions were not restored. Leaves the file unchanged if the signal aborts. */
  async restore(signal: AbortSignal): Promise<void> {
    const { path, intakes, keccak, clock, log, pool } = this.#parts
    assert(this.#content !== undefined, 'The file is restored once.')
    const endsAtMs = clock.monotonicMs() + MAX_RESTORING_MS
    const isOver = () => signal.aborted || clock.monotonicMs() > endsAtMs
    const { lines, taken, damaged, refused, isWhole } = await restoreLines(
      parseLines(this.#content, keccak),
      intakes,
      isOver,
    )
    if (signal.aborted) return
    this.#content = undefined
    if (lines > 0) log.info('Restored pool', { restored: taken, saved: lines, path, ...refused })
    if (damaged > 0) log.warn(POOL_PROBLEMS.linesDamaged, { lines: damaged, path })
    if (!isWhole) log.warn(POOL_PROBLEMS.restoreTimedOut, { path })
    this.#unsubscribe = pool.added.subscribe((additions) => this.#add(additions))
    await this.#write()
  }

  /** Resolves when every local transaction admitted so far is in the file. */
  written(): Promise<void> {
    if (this.#lines.length === 0) return this.#lastWrite
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined
      this.#lastWrite = this.#write()
      return this.#lastWrite
    })
    return this.#nextWrite
  }

  /** Writes the complete pool, including transactions from peers. */
  async close(): Promise<void> {
    this.#unsubscribe()
    await this.written()
    // Without a restore, the file still has its transactions.
    if (this.#content === undefined) await this.#attempt(() => this.#rewrite(() => true))
    await this.#file.close()
  }

  #add(additions: readonly PoolAddition[]): void {
    const { keccak } = this.#parts
    for (const { transaction, origin } of additions) {
      if (origin === 'local')
        this.#lines.push(
          formatLine({ origin, bytes: transaction.blobs?.encoded ?? transaction.encoded }, keccak),
        )
    }
  }

  async #write(): Promise<void> {
    const text = this.#lines.join('')
    this.#lines = []
    if (this.#parts.clock.monotonicMs() < this.#triesAgainAtMs) return
    const isLong = this.#file.sizeBytes > this.#rewriteAboveBytes
    const isAnew = this.#mustRewrite || isLong
    await this.#attempt(() =>
      isAnew ? this.#rewrite(({ isLocal }) => isLocal) : this.#file.append(Buffer.from(text)),
    )
  }

  /** A full disk does not reject transactions. After a failure the content of the file is unknown. */
  async #attempt(write: () => Promise<void>): Promise<void> {
    const { path, clock, log } = this.#parts
    try {
      this.#mustRewrite = true
      await write()
      this.#mustRewrite = false
      if (this.#triesAgainAtMs > 0) log.info('Pool is saved again', { path })
      this.#triesAgainAtMs = 0
    } catch (error) {
      const reason = error instanceof Fault ? error.data.sentence : String(error)
      log.error(POOL_PROBLEMS.notSaved, { path, reason })
      this.#triesAgainAtMs = clock.monotonicMs() + RETRY_MS
    }
  }

  /** Replaces the file by the current pool. Later transactions are appended. */
  async #rewrite(isKept: (item: PoolItem) => boolean): Promise<void> {
    const { pool, keccak } = this.#parts
    const texts = [FIRST_LINE]
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { items, next }: PoolPage<number> = pool.list(from)
      for (const item of items) {
        if (!isKept(item)) continue
        const origin = item.isLocal ? 'local' : 'remote'
        const bytes = pool.blobsOf(item.hash)?.encoded ?? item.encoded
        texts.push(formatLine({ origin, bytes }, keccak))
      }
      from = next
      await nextTurn()
    }
    await this.#file.replace(Buffer.from(texts.join('')))
    this.#rewriteAboveBytes = Math.max(MIN_REWRITTEN_BYTES, MAX_GROWTH * this.#file.sizeBytes)
  }
}

/** Returns undefined, and logs an error, if the path holds something else. Throws errors of the file system. */
function readPoolFile({ path, maxFileBytes, log }: KeeperParts): Uint8Array | undefined {
  const kind = kindOfPath(path)
  if (kind === undefined) return new Uint8Array(0)
  const content = kind === 'file' ? readFileBounded(path, maxFileBytes) : undefined
  if (content !== undefined && isPoolFile(content)) return content
  log.error(POOL_PROBLEMS.notAPoolFile, { path })
  return undefined
}

/** Transactions submitted together, so their senders are recovered together. */
const AT_ONCE = 256
/** Maximum bytes submitted together: blobs wait for their verification in memory. */
const AT_ONCE_BYTES = 4 * 1024 * 1024

interface Restored {
  /** Lines in the file. */
  readonly lines: number
  readonly taken: number
  readonly damaged: number
  /** Number of refused transactions by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** False if the restore ran out of time. */
  readonly isWhole: boolean
}

/** Submits in file order. Transactions mined before the node stopped are refused for their nonce. */
async function restoreLines(
  lines: Iterable<KeptTransaction | undefined>,
  intakes: Readonly<Record<TransactionOrigin, Pick<Intake, 'submit'>>>,
  isOver: () => boolean,
): Promise<Restored> {
  const restored = { lines: 0, taken: 0, damaged: 0, refused: {} as Record<string, number> }
  let waiting: Promise<IntakeVerdict>[] = []
  let bytes = 0
  const settle = async (): Promise<void> => {
    for (const verdict of await Promise.all(waiting)) {
      if (verdict.ok) restored.taken++
      else restored.refused[verdict.reason] = (restored.refused[verdict.reason] ?? 0) + 1
    }
    waiting = []
    bytes = 0
    await nextTurn()
  }
  for (const line of lines) {
    restored.lines++
    if (waiting.length >= AT_ONCE || bytes >= AT_ONCE_BYTES) await settle()
    if (isOver()) return { ...restored, isWhole: false }
    if (line === undefined) {
      restored.damaged++
      continue
    }
    waiting.push(intakes[line.origin].submit(line.bytes))
    bytes += line.bytes.length
  }
  await settle()
  return { ...restored, isWhole: true }
}

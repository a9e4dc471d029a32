/**
 * Keeps the pool over a restart, in a file (pool-lines.ts). What is sent to this node is in it before it is answered, so
 * that a kill loses none of it; what peers sent is added when the node stops. At the start everything passes through the
 * same door as whatever comes from outside.
 */
import type { Clock } from '#platform/clock.ts'
import { type AppendFile, openAppendFile } from '#platform/files/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Signal } from '#platform/signal.ts'
import type { Intake } from '#pool/intake.ts'
import type { PoolItem, PoolPage } from '#pool/pool-item.ts'
import type { PoolAddition, TransactionOrigin } from '#pool/submitted-transaction.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import { FIRST_LINE, formatLine, isPoolFile, parseLines } from './pool-lines.ts'
import { restoreLines } from './restore-lines.ts'

export interface KeeperParts {
  readonly path: string
  /** The largest file that is read. */
  readonly maxFileBytes: number
  readonly pool: KeptPool
  /** The door for what the file holds, by where it came from then. */
  readonly intakes: Readonly<Record<TransactionOrigin, Pick<Intake, 'submit'>>>
  readonly keccak: Keccak
  readonly clock: Clock
  readonly log: Log
}

export interface KeptPool {
  readonly added: Signal<readonly PoolAddition[]>
  list(fromArrival: number): PoolPage<number>
}

/** Below it the file is not written anew to be rid of what is no longer in the pool. */
const MIN_REWRITTEN_BYTES = 4 * 1024 * 1024
/** Longer than that nobody waits for a node to start. */
const MAX_RESTORING_MS = 40_000
/** After a write that failed. */
const RETRY_MS = 10_000
/** Above it, when it is so many times as long as after it was last written anew. */
const MAX_GROWTH = 2

/** undefined: there is something else at that place, which stays as it is. */
export async function openPoolKeeper(parts: KeeperParts): Promise<PoolKeeper | undefined> {
  try {
    const content = readPoolFile(parts)
    if (content === undefined) return undefined
    const file = await openAppendFile(parts.path, content.length)
    return new PoolKeeper(parts, file, content)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    parts.log.error(`The pool is not kept over a restart. ${error.data.sentence}`)
    return undefined
  }
}

export class PoolKeeper {
  readonly #parts: KeeperParts
  readonly #file: AppendFile
  /** What the file held at the start, until it is restored. */
  #content: Uint8Array | undefined
  #unsubscribe = (): void => undefined
  /** Not yet in the file. */
  #lines: string[] = []
  #lastWrite: Promise<void> = Promise.resolve()
  /** Takes the lines there are when the one before is done. */
  #nextWrite: Promise<void> | undefined
  /** The first write brings the file into order: its last line may have been cut short. */
  #mustRewrite = true
  #rewriteAboveBytes = MIN_REWRITTEN_BYTES
  /** On the monotonic clock; 0: the last write succeeded. */
  #triesAgainAtMs = 0

  constructor(parts: KeeperParts, file: AppendFile, content: Uint8Array) {
    this.#parts = parts
    this.#file = file
    this.#content = content
  }

  /** What does not get into the pool any more is counted in the log. The file stays as it is if the signal aborts. */
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
    if (lines > 0) log.info(`Restored ${taken} of ${lines} transactions of the pool from ${path}.`, refused)
    if (damaged > 0) log.warn(`${damaged} lines of ${path} were damaged, and were dropped.`)
    if (!isWhole) log.warn(`Restoring the pool took too long: the rest of ${path} was dropped.`)
    this.#unsubscribe = pool.added.subscribe((additions) => this.#add(additions))
    await this.#write()
  }

  /** Resolves when all that is in the pool by now, and was sent to this node, is in the file. */
  written(): Promise<void> {
    if (this.#lines.length === 0) return this.#lastWrite
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined
      this.#lastWrite = this.#write()
      return this.#lastWrite
    })
    return this.#nextWrite
  }

  /** With what came from peers. */
  async close(): Promise<void> {
    this.#unsubscribe()
    await this.written()
    // What was not restored is in the file still.
    if (this.#content === undefined) await this.#attempt(() => this.#rewrite(() => true))
    await this.#file.close()
  }

  #add(additions: readonly PoolAddition[]): void {
    const { keccak } = this.#parts
    for (const { transaction, origin } of additions) {
      if (origin === 'local') this.#lines.push(formatLine({ origin, bytes: transaction.encoded }, keccak))
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

  /** A disk that is full is no reason to refuse transactions. After a failure nobody knows what the file holds. */
  async #attempt(write: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#parts
    try {
      this.#mustRewrite = true
      await write()
      this.#mustRewrite = false
      if (this.#triesAgainAtMs > 0) log.info('The pool is kept over a restart again.')
      this.#triesAgainAtMs = 0
    } catch (error) {
      const sentence = error instanceof Fault ? error.data.sentence : String(error)
      log.error(`The pool is not kept over a restart. ${sentence}`)
      this.#triesAgainAtMs = clock.monotonicMs() + RETRY_MS
    }
  }

  /** Of the pool as it is. What comes meanwhile is added behind it. */
  async #rewrite(isKept: (item: PoolItem) => boolean): Promise<void> {
    const { pool, keccak } = this.#parts
    const texts = [FIRST_LINE]
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { items, next }: PoolPage<number> = pool.list(from)
      for (const item of items) {
        if (!isKept(item)) continue
        const origin = item.isLocal ? 'local' : 'remote'
        texts.push(formatLine({ origin, bytes: item.encoded }, keccak))
      }
      from = next
      await nextTurn()
    }
    await this.#file.replace(Buffer.from(texts.join('')))
    this.#rewriteAboveBytes = Math.max(MIN_REWRITTEN_BYTES, MAX_GROWTH * this.#file.sizeBytes)
  }
}

/** undefined: no such file, whatever it is; it was said. Throws what the system says. */
function readPoolFile({ path, maxFileBytes, log }: KeeperParts): Uint8Array | undefined {
  const kind = kindOfPath(path)
  if (kind === undefined) return new Uint8Array(0)
  const content = kind === 'file' ? readFileBounded(path, maxFileBytes) : undefined
  if (content !== undefined && isPoolFile(content)) return content
  log.error(
    `The pool is not kept over a restart: ${path} is there and does not hold a pool. Move it away, or name another file with --tx-pool-save-file.`,
  )
  return undefined
}

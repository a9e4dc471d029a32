import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { ImportVerdict } from '#chain/write/create-chain.ts'
import type { HeadBlock } from '#chain/write/head-news.ts'
import { WRITER_START_DEADLINE_MS, type WriterConfig } from '#chain/writer/writer-protocol.ts'
import { type ChainWriter, startWriterThread, WRITER_STOP_DEADLINE_MS } from '#chain/writer/writer-thread.ts'
import type { Clock } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'

/** All tables of a small chain, in some 20 ms: a start does not wait for more. `damaged` tells of the others. */
const VERIFIED_FIRST_BYTES = 8 * 1024 * 1024

export interface LiveChainParts {
  readonly clock: Clock
  readonly log: Log
  readonly threads: Threads
}

/** The chain as main sees it: its writer, and the head that was announced last. */
export class LiveChain {
  /** After the durable commit, numbered in the order of their making. */
  readonly headMoved: Signal<AnnouncedHead>
  /** Resolves if the writer ends before it is stopped, or the database is damaged: then there is no node. */
  readonly failed: Promise<Error>
  readonly config: WriterConfig
  readonly #parts: LiveChainParts
  readonly #fail: (error: Error) => void
  #writer: ChainWriter | undefined
  #head: AnnouncedHead | undefined
  #isStopping = false

  constructor(config: WriterConfig, parts: LiveChainParts) {
    this.config = config
    this.#parts = parts
    const { log } = parts
    this.headMoved = createSignal((err) => log.error('A listener to the head failed.', { err }))
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.failed = promise
    this.#fail = resolve
  }

  get head(): AnnouncedHead {
    assert(this.#head !== undefined, 'The chain was started.')
    return this.#head
  }

  get writer(): ChainWriter {
    assert(this.#writer !== undefined, 'The chain was started.')
    return this.#writer
  }

  /** Starts first and stops last, since the first opener of the database owns its cache. */
  service(): Service {
    return {
      name: 'chain',
      startDeadlineMs: WRITER_START_DEADLINE_MS,
      stopDeadlineMs: WRITER_STOP_DEADLINE_MS,
      start: () => this.#start(),
      stop: async () => {
        this.#isStopping = true
        await this.#writer?.stop()
      },
    }
  }

  /** As debug_setHead asks: a block that is stored, and its ancestors. */
  async setHead(hash: Hash): Promise<{ ok: true } | { ok: false; sentence: string }> {
    const verdict: ImportVerdict = await this.writer.setHead(hash, 'none' satisfies HeaderValidation)
    return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
  }

  async #start(): Promise<void> {
    const { log } = this.#parts
    const parts = { ...this.#parts, verifiedFirstBytes: VERIFIED_FIRST_BYTES }
    const writer = await startWriterThread(this.config, parts)
    this.#writer = writer
    writer.headMoved.subscribe((news) => this.#announce(news))
    this.#announce(await writer.head())
    const { number, hash } = this.head
    log.info('The chain is open.', { number, hash })
    void writer.exited.then(({ error }) => {
      if (this.#isStopping) return
      log.error('The writer thread ended unexpectedly.', { err: error })
      this.#fail(error ?? new Error('The writer thread ended unexpectedly.'))
    })
    void writer.damaged.then((damage) => {
      log.error(damage.message)
      this.#fail(damage)
    })
  }

  #announce({ number, hash }: HeadBlock): void {
    this.#head = { sequence: (this.#head?.sequence ?? 0) + 1, number, hash }
    this.#parts.threads.announce(this.#head)
    this.headMoved.emit(this.#head)
  }
}

/** The chain on the main thread: its writer, and the head announced last. */
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom } from '#platform/room.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { Threads } from '#platform/thread/threads.ts'
import type { Hash } from '#types/hash.ts'
import { ARCHIVE, ARCHIVE_STOP_DEADLINE_MS } from './archive/archive-thread.ts'
import type { LiveBuilding } from './build/building-settings.ts'
import { CHAIN_PROBLEMS } from './log-problems.ts'
import { DATABASE_GAUGES, MAIN_GAUGES } from './main-metrics.ts'
import type { AnnouncedHead, ChainReaderConfig } from './read/open-chain-reader.ts'
import type { HeadChange } from './write/head-change.ts'
import { WRITER_START_DEADLINE_MS, type WriterConfig } from './writer/writer-protocol.ts'
import { type ChainWriter, startWriterThread, WRITER_STOP_DEADLINE_MS } from './writer/writer-thread.ts'

/** Covers all tables of a small chain in about 20 ms. The start does not wait for larger ones; `damaged` reports them. */
const VERIFIED_FIRST_BYTES = 8 * 1024 * 1024

interface ChainNeeds {
  readonly config: WriterConfig
  readonly building: LiveBuilding
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly threads: Threads
}

/** Starts first and stops last, since the first opener of the database owns its cache. */
export const CHAIN = defineRoom({
  name: 'chain',
  startDeadlineMs: WRITER_START_DEADLINE_MS,
  stopDeadlineMs: WRITER_STOP_DEADLINE_MS,
  start: async ({ config, building, metrics, ...parts }: ChainNeeds, { onStop }): Promise<RunningChain> => {
    const { log } = parts
    let isStopping = false
    const writer = await startWriterThread(config, { ...parts, verifiedFirstBytes: VERIFIED_FIRST_BYTES })
    onStop(async () => {
      isStopping = true
      await writer.stop()
    })
    const ended = writer.exited.then(({ error }) => {
      // A requested stop is not a failure.
      if (isStopping) return new Promise<never>(() => undefined)
      log.error(CHAIN_PROBLEMS.writerEnded, { err: error })
      return error ?? new Error('The writer thread ended unexpectedly.')
    })
    const damaged = writer.damaged.then((damage) => {
      log.error(CHAIN_PROBLEMS.databaseDamaged, { reason: damage.message })
      return damage
    })
    const failed = Promise.race([ended, damaged])
    const chain = new RunningChain({ ...parts, config, writer, failed }, await writer.head())
    if (config.archive !== undefined && !config.isDevelopment) {
      const { path, historyBlocks, archive: place } = config
      const data = { path, historyBlocks, place, localBytes: config.ledger.historyLocalBytes }
      const archive = await parts.threads.keep(ARCHIVE, {
        log,
        handlers: { requests: {} },
        begin: () => ({ data }),
        inBackground: true,
        onStarted: () => undefined,
      })
      onStop(() => archive.stop(ARCHIVE_STOP_DEADLINE_MS))
    }
    MAIN_GAUGES.readFrom({ chain, building }, metrics)
    DATABASE_GAUGES.readFrom(config, metrics)
    log.info('Opened chain', { number: chain.head.number, hash: chain.head.hash })
    return chain
  },
})

export function readerOf({ genesisText, path, historyBlocks, writes }: WriterConfig): ChainReaderConfig {
  return { genesisText, path, historyBlocks, writes }
}

interface ChainParts extends Pick<RunningChain, 'config' | 'writer' | 'failed'> {
  readonly log: Log
  readonly threads: Threads
}

export class RunningChain {
  /** Emitted after the durable commit, in sequence. */
  readonly headMoved: Signal<HeadChange>
  /** Resolves if the writer ends before it is stopped, or if the database is damaged; the node then stops. */
  readonly failed: Promise<Error>
  readonly config: WriterConfig
  readonly writer: ChainWriter
  #head: AnnouncedHead

  constructor({ config, writer, failed, log, threads }: ChainParts, head: AnnouncedHead) {
    this.config = config
    this.writer = writer
    this.failed = failed
    this.headMoved = createSignal((err) =>
      log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'head', err }),
    )
    this.#head = head
    threads.announce(head)
    writer.headMoved.subscribe((change) => {
      const { sequence, number, hash, timestamp } = change
      this.#head = { sequence, number, hash, timestamp }
      threads.announce(this.#head)
      this.headMoved.emit(change)
    })
  }

  get head(): AnnouncedHead {
    return this.#head
  }

  /** For threads that read the database themselves. */
  get reader(): ChainReaderConfig {
    return readerOf(this.config)
  }

  /** Implements debug_setHead: the block and its ancestors must be stored. */
  async setHead(hash: Hash): Promise<{ ok: true } | { ok: false; sentence: string }> {
    const verdict = await this.writer.setHead(hash, 'none')
    return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
  }
}

/**
 * The chain as other threads see it: requests to the one thread that executes and writes. Every request has a
 * deadline and can be cancelled; the engine looks at a shared cell, since a thread that computes hears nothing else.
 */

import type { InvalidBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import { BuildsUnderWay } from '#chain/build/builds-under-way.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { ImportVerdict } from '#chain/write/create-chain.ts'
import type { HeadBlock, HeadNews, NextMakers } from '#chain/write/head-news.ts'
import { answerSenders, type SenderSource } from '#chain/write/known-senders.ts'
import { CANCEL } from '#evm/engine.ts'
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { ThreadOf } from '#platform/thread/define-thread.ts'
import type { ThreadExit } from '#platform/thread/thread.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { holdDatabase } from '#store/kv/hold-database.ts'
import type { Hash } from '#types/hash.ts'
import {
  type BuildAnswer,
  type BulkAnswer,
  type BulkRequest,
  WRITER,
  type WriterConfig,
} from './writer-protocol.ts'

/** One block: ten times what the largest takes. */
const BLOCK_DEADLINE_MS = 60_000
/** Many, or the way back over many. */
const BULK_DEADLINE_MS = 3_600_000
export const WRITER_STOP_DEADLINE_MS = 60_000

export interface RequestOptions {
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

export interface BuildRequestOptions extends RequestOptions {
  /** When this is over, the block takes what was executed so far. */
  readonly budgetMs?: number
}

/** What the writer's owner may ask of it. */
export interface ChainWriter {
  /** Told after the blocks are durable. */
  readonly headMoved: Signal<HeadNews>
  /** Whom the writer asks who sent the transactions of a block, before it recovers them; believed. */
  askForSenders(source: SenderSource): void
  head(): Promise<HeadBlock>
  importBlock(
    block: Uint8Array,
    validation: HeaderValidation,
    options?: RequestOptions,
  ): Promise<ImportVerdict>
  importBlocks(request: Omit<BulkRequest, 'cancel'>, options?: RequestOptions): Promise<BulkAnswer>
  validate(
    block: Uint8Array,
    validation: HeaderValidation,
    options?: RequestOptions,
  ): Promise<{ readonly ok: true } | InvalidBlock>
  build(
    template: BlockTemplate,
    candidates: CandidateSource,
    options?: BuildRequestOptions,
  ): Promise<BuildAnswer>
  /** Of the pieces one after the other, for who has no time for so many bytes. */
  keccak(pieces: readonly Uint8Array[]): Promise<Uint8Array>
  unwind(to: number, options?: RequestOptions): Promise<void>
  setHead(hash: Hash, validation: HeaderValidation, options?: RequestOptions): Promise<ImportVerdict>
  /** The last that were refused because they are invalid, oldest first. */
  badBlocks(): Promise<readonly BadBlock[]>
  /** Null where validators have no part in it. */
  makersOfNext(): Promise<NextMakers | null>
  stop(): Promise<ThreadExit>
  readonly exited: Promise<ThreadExit>
  /** Resolves when any thread of this process finds the database damaged. */
  readonly damaged: Promise<Error>
}

export interface WriterThreadParts {
  readonly threads: Threads
  readonly clock: Clock
  readonly log: Log
  /** Tables of the database to verify before it is opened; the rest is verified beside. Undefined: all before. */
  readonly verifiedFirstBytes?: number
}

/**
 * Opens the database on this thread before the writer does, and closes it after: the first opener owns the cache.
 * Resolves when block 0 is there.
 */
export async function startWriterThread(
  config: WriterConfig,
  { threads, clock, log, verifiedFirstBytes }: WriterThreadParts,
): Promise<ChainWriter> {
  const held = await holdDatabase(config.path, verifiedFirstBytes)
  try {
    const builds = new BuildsUnderWay(clock, log)
    let senders: SenderSource = () => undefined
    const thread = await threads.start(WRITER, {
      data: config,
      log,
      handlers: {
        requests: { senders: (hashes) => answerSenders(hashes, senders) },
        streams: { candidates: ({ build, terms }) => builds.candidates(build, terms) },
      },
    })
    const closed = thread.exited.then(() => held.close())
    const writer = createWriter(thread, builds, clock, log)
    return {
      ...writer,
      askForSenders: (source) => {
        senders = source
      },
      damaged: held.damaged,
      stop: async () => {
        const exit = await writer.stop()
        await closed
        return exit
      },
    }
  } catch (error) {
    await held.close()
    throw error
  }
}

function createWriter(
  { channel, exited, stop }: ThreadOf<typeof WRITER>,
  builds: BuildsUnderWay,
  clock: Clock,
  log: Log,
): Omit<ChainWriter, 'damaged' | 'askForSenders'> {
  const headMoved = createSignal<HeadNews>((err) => log.error('A listener to the head failed.', { err }))
  channel.onNews('headMoved', (news) => headMoved.emit(news))

  /** Hands the work a cell that is set when the deadline passes or the caller gives up. */
  const withCancel = async <Result>(
    { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal | undefined },
    ask: (cancel: Int32Array, options: { deadlineMs: number; signal: AbortSignal }) => Promise<Result>,
  ): Promise<Result> => {
    const cancel = new Int32Array(new SharedArrayBuffer(4))
    using deadline = deadlineSignal(clock, deadlineMs, signal, 'The work on a block')
    deadline.addEventListener('abort', () => Atomics.or(cancel, 0, CANCEL), { once: true })
    return await ask(cancel, { deadlineMs, signal: deadline })
  }
  const oneBlock = (options?: RequestOptions) => ({ deadlineMs: BLOCK_DEADLINE_MS, ...options })
  const manyBlocks = (options?: RequestOptions) => ({ deadlineMs: BULK_DEADLINE_MS, ...options })

  return {
    headMoved,
    exited,
    head: () => channel.request('head', null),
    keccak: (pieces) => channel.request('keccak', pieces, { deadlineMs: BLOCK_DEADLINE_MS }),
    badBlocks: () => channel.request('badBlocks', null),
    makersOfNext: () => channel.request('makersOfNext', null),
    importBlock: (block, validation, options) =>
      withCancel(oneBlock(options), (cancel, call) =>
        channel.request('importBlock', { block, validation, cancel }, call),
      ),
    importBlocks: (request, options) =>
      withCancel(manyBlocks(options), (cancel, call) =>
        channel.request('importBlocks', { ...request, cancel }, call),
      ),
    validate: (block, validation, options) =>
      withCancel(oneBlock(options), (cancel, call) =>
        channel.request('validate', { block, validation, cancel }, call),
      ),
    build: (template, candidates, options) =>
      withCancel(oneBlock(options), async (cancel, call) => {
        const budgetMs = options?.budgetMs ?? call.deadlineMs
        using build = builds.begin({ candidates, budgetMs, signal: call.signal, cancel })
        const request = { template, build: build.id, budgetMs, cancel }
        const answer = await channel.request('build', request, call)
        builds.tellLeftOut(candidates, answer.leftOut)
        return answer
      }),
    unwind: async (to, options) => {
      await channel.request('unwind', { to }, manyBlocks(options))
    },
    setHead: (hash, validation, options) =>
      withCancel(manyBlocks(options), (cancel, call) =>
        channel.request('setHead', { hash, validation, cancel }, call),
      ),
    stop: () => stop(WRITER_STOP_DEADLINE_MS),
  }
}

/**
 * The chain as other threads see it: requests to the one thread that executes and writes. Every request has a
 * deadline and can be cancelled through a shared cell, because a computing thread receives no messages.
 */

import type { InvalidBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import { BuildsUnderWay } from '#chain/build/builds-under-way.ts'
import type { CandidateSource, WaitForMore } from '#chain/build/candidates.ts'
import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import { stateMissing } from '#chain/rules/merged-head.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { AccountEdit, ImportVerdict } from '#chain/write/create-chain.ts'
import type { ChoiceVerdict, ForkChoice, OfferVerdict } from '#chain/write/fork-choice.ts'
import type { HeadChange, NextValidators } from '#chain/write/head-change.ts'
import { answerSenders, type SenderSource } from '#chain/write/known-senders.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import { type Clock, withCancelCell } from '#platform/clock.ts'
import { isMissingOrEmpty } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { ThreadOf } from '#platform/thread/define-thread.ts'
import type { ThreadExit } from '#platform/thread/thread.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { holdDatabase } from '#store/kv/hold-database.ts'
import type { Hash } from '#types/hash.ts'
import type { BuildAnswer } from './build-answer.ts'
import { type BulkAnswer, MANY_BLOCKS, ONE_BLOCK, type PeersImport } from './import-line.ts'
import { type BulkRequest, WRITER, type WriterConfig } from './writer-protocol.ts'

export const WRITER_STOP_DEADLINE_MS = 60_000

export interface RequestOptions {
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

export interface BuildRequestOptions extends RequestOptions {
  /** Time after which the block takes the transactions executed so far. */
  readonly budgetMs?: number
  /** If set, the writer requests candidates a second time. */
  readonly waitForMore?: WaitForMore | undefined
}

export interface ChainWriter {
  /** Emitted after the blocks are durable. */
  readonly headMoved: Signal<HeadChange>
  /** Emits the outcome of each import that the peers thread requested. */
  readonly peersImported: Signal<PeersImport>
  /** Makes the writer answer on a line to the peers thread, in addition to open lines. */
  openImportLine(line: LinePort): void
  /** Sets the source that the writer asks for senders before it recovers them. The answers are trusted. */
  askForSenders(source: SenderSource): void
  head(): Promise<AnnouncedHead>
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
  /** Hashes the concatenated pieces, for callers that must not spend the time. */
  keccak(pieces: readonly Uint8Array[]): Promise<Uint8Array>
  unwind(to: number, options?: RequestOptions): Promise<void>
  /** Edits accounts of the head's state, on development networks only. */
  edit(edits: readonly AccountEdit[]): Promise<void>
  /** Returns the id of a snapshot, on development networks only. */
  snapshot(): Promise<number>
  /** Rewinds to a snapshot and forgets it and later ones. Returns false if it is not known or not on the chain. */
  revert(id: number): Promise<boolean>
  /** Rewinds to block 0 without edits and forgets all snapshots, on development networks only. */
  reset(): Promise<void>
  setHead(hash: Hash, validation: HeaderValidation, options?: RequestOptions): Promise<ImportVerdict>
  /** Validates a block and stores it next to the chain. */
  offer(block: Uint8Array, options?: RequestOptions): Promise<OfferVerdict>
  /** Makes a stored block the head and records the safe and finalized blocks. */
  choose(choice: ForkChoice, options?: RequestOptions): Promise<ChoiceVerdict>
  /** The last blocks refused as invalid, oldest first. */
  badBlocks(): Promise<readonly BadBlock[]>
  /** Null on networks without validators. */
  nextValidators(): Promise<NextValidators | null>
  stop(): Promise<ThreadExit>
  readonly exited: Promise<ThreadExit>
  /** Resolves when any thread of this process finds the database damaged. */
  readonly damaged: Promise<Error>
}

export interface WriterThreadParts {
  readonly threads: Threads
  readonly clock: Clock
  readonly log: Log
  /** Bytes of tables to verify before the database is opened; the rest is verified in parallel. All if undefined. */
  readonly verifiedFirstBytes?: number
}

/**
 * Opens the database on this thread before the writer does, and closes it after: the first opener owns the cache.
 * Resolves when block 0 is stored.
 */
export async function startWriterThread(
  config: WriterConfig,
  { threads, clock, log, verifiedFirstBytes }: WriterThreadParts,
): Promise<ChainWriter> {
  if (config.startsAfterMerge && isMissingOrEmpty(config.path)) throw stateMissing()
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
  const headMoved = createSignal<HeadChange>((err) =>
    log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'head', err }),
  )
  channel.onEvent('headMoved', (event) => headMoved.emit(event))
  const peersImported = createSignal<PeersImport>((err) =>
    log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'imports from peers', err }),
  )
  channel.onEvent('peersImported', (outcome) => peersImported.emit(outcome))
  const oneBlock = (options?: RequestOptions) => ({ ...ONE_BLOCK, ...options })
  const manyBlocks = (options?: RequestOptions) => ({ ...MANY_BLOCKS, ...options })

  return {
    headMoved,
    peersImported,
    openImportLine: (line) => {
      channel
        .request('openImportLine', line, { transfer: [line], deadlineMs: ONE_BLOCK.deadlineMs })
        .catch((err: unknown) => log.warn(CHAIN_PROBLEMS.peersLineLost, { err }))
    },
    exited,
    head: () => channel.request('head', null),
    keccak: (pieces) => channel.request('keccak', pieces, { deadlineMs: ONE_BLOCK.deadlineMs }),
    badBlocks: () => channel.request('badBlocks', null),
    nextValidators: () => channel.request('nextValidators', null),
    importBlock: (block, validation, options) =>
      withCancelCell(clock, oneBlock(options), (cancel, call) =>
        channel.request('importBlock', { block, validation, cancel }, call),
      ),
    importBlocks: (request, options) =>
      withCancelCell(clock, manyBlocks(options), (cancel, call) =>
        channel.request('importBlocks', { ...request, cancel }, call),
      ),
    validate: (block, validation, options) =>
      withCancelCell(clock, oneBlock(options), (cancel, call) =>
        channel.request('validate', { block, validation, cancel }, call),
      ),
    build: (template, candidates, options) =>
      withCancelCell(clock, oneBlock(options), async (cancel, call) => {
        const budgetMs = options?.budgetMs ?? call.deadlineMs
        const waitForMore = options?.waitForMore
        using build = builds.begin({ candidates, budgetMs, signal: call.signal, cancel, waitForMore })
        const asksTwice = waitForMore !== undefined
        const request = { template, build: build.id, budgetMs, asksTwice, cancel }
        const answer = await channel.request('build', request, call)
        builds.reportLeftOut(candidates, answer.leftOut)
        return answer
      }),
    unwind: async (to, options) => {
      await channel.request('unwind', { to }, { deadlineMs: MANY_BLOCKS.deadlineMs, ...options })
    },
    edit: async (edits) => {
      await channel.request('edit', edits, { deadlineMs: MANY_BLOCKS.deadlineMs })
    },
    snapshot: () => channel.request('snapshot', null, { deadlineMs: ONE_BLOCK.deadlineMs }),
    revert: (id) => channel.request('revert', { id }, { deadlineMs: MANY_BLOCKS.deadlineMs }),
    reset: async () => {
      await channel.request('reset', null, { deadlineMs: MANY_BLOCKS.deadlineMs })
    },
    setHead: (hash, validation, options) =>
      withCancelCell(clock, manyBlocks(options), (cancel, call) =>
        channel.request('setHead', { hash, validation, cancel }, call),
      ),
    offer: (block, options) =>
      withCancelCell(clock, oneBlock(options), (cancel, call) =>
        channel.request('offer', { block, validation: 'full', cancel }, call),
      ),
    choose: (choice, options) =>
      withCancelCell(clock, manyBlocks(options), (cancel, call) =>
        channel.request('choose', { ...choice, validation: 'full', cancel }, call),
      ),
    stop: () => stop(WRITER_STOP_DEADLINE_MS),
  }
}

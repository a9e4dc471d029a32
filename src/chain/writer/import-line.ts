/**
 * The line between the peers thread and the writer: blocks from peers reach the writer without passing through main.
 * The peers thread sends decoded headers and their hashes along. An import continues if the line closes, so the
 * writer never stops within a block because the peers thread ended.
 */
import type { InvalidBlock, KnownHeader } from '#chain/block/stages.ts'
import type { ImportVerdict } from '#chain/write/create-chain.ts'
import { CANCEL } from '#evm/engine.ts'
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import { connectPort, type LinePort } from '#platform/channel/port-pair.ts'
import { type Clock, withCancelCell } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { shareAll } from '#platform/share-bytes.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'

const WORK = { cancelBit: CANCEL, what: 'The work on a block' }
/** Ten times as long as the largest block takes. */
export const ONE_BLOCK = { ...WORK, deadlineMs: 60_000 }
/** For many blocks, or for a rewind over many. */
export const MANY_BLOCKS = { ...WORK, deadlineMs: 3_600_000 }
/** The peers thread has one part and four single blocks under way (catch-up.ts, follow-blocks.ts). */
const LIMITS = { inFlightMax: 8, queuedMax: 8, servingMax: 16 }

/** Every request has a cell; another thread ends its work by setting it to a value other than 0. */
export interface Cancellable {
  readonly cancel: Int32Array
}

export interface PeerBlock {
  readonly block: Uint8Array
  readonly known: KnownHeader
}

export interface PeerBlocks {
  /** In ascending order. */
  readonly blocks: readonly Uint8Array[]
  readonly headers: readonly KnownHeader[]
  /** The senders of each block's transactions. The writer trusts them. */
  readonly senders: readonly (readonly Address[])[]
  /** How many more blocks the peers thread has in hand. */
  readonly remaining: number
}

export type BulkAnswer =
  | { readonly ok: true; readonly imported: number }
  | (InvalidBlock & { readonly imported: number; readonly number: bigint; readonly hash: Hash })

/** The outcome of an import from peers, for main. */
export interface PeersImport {
  readonly imported: number
  readonly remaining: number
  /** Why the writer failed. Undefined after a verdict, also if a block is invalid. */
  readonly problem?: string
}

type LineOffers = {
  readonly requests: {
    readonly importBlock: RequestRow<PeerBlock & Cancellable, ImportVerdict>
    readonly importBlocks: RequestRow<PeerBlocks & Cancellable, BulkAnswer>
  }
}

/** The peers thread's end of the line. */
export interface ImportLine {
  importBlock(block: PeerBlock): Promise<ImportVerdict>
  importBlocks(blocks: PeerBlocks): Promise<BulkAnswer>
}

export interface LineParts {
  readonly clock: Clock
  readonly log: Log
}

export function openImportLine(
  line: LinePort,
  { clock, log }: LineParts,
): ImportLine & { readonly close: () => void } {
  const onError = (err: unknown): void => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'writer', err })
  const options = { clock, onError, limits: LIMITS, peer: 'the writer thread' }
  const channel = connectPort<Record<never, never>, LineOffers>(line, {}, options)
  return {
    importBlock: async (request) => {
      const [block] = await shareAll([request.block])
      return await withCancelCell(clock, ONE_BLOCK, (cancel, call) =>
        channel.request('importBlock', { ...request, block: block!, cancel }, call),
      )
    },
    importBlocks: async (request) => {
      const blocks = await shareAll(request.blocks)
      return await withCancelCell(clock, MANY_BLOCKS, (cancel, call) =>
        channel.request('importBlocks', { ...request, blocks, cancel }, call),
      )
    },
    close: () => channel.close(),
  }
}

interface AnswerParts extends LineParts {
  importBlock(request: PeerBlock & Cancellable): Promise<ImportVerdict>
  importBlocks(request: PeerBlocks & Cancellable): Promise<BulkAnswer>
  /** Reports the outcome to main. */
  report(outcome: PeersImport): void
}

/** The writer's end of the line. */
export function answerImportLine(
  line: LinePort,
  { clock, log, importBlock, importBlocks, report }: AnswerParts,
): void {
  const reportFailure = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      // Bytes that are not a block are the peer's fault.
      const isPeersFault = error instanceof Fault && error.kind === 'INVALID_BLOCK'
      const problem = error instanceof Error ? error.message : String(error)
      if (!isPeersFault) report({ imported: 0, remaining: 0, problem })
      throw error
    }
  }
  const onError = (err: unknown): void => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'peers', err })
  connectPort<LineOffers, Record<never, never>>(
    line,
    {
      requests: {
        importBlock: (request) => reportFailure(() => importBlock(request)),
        importBlocks: (request) =>
          reportFailure(async () => {
            const answer = await importBlocks(request)
            report({ imported: answer.imported, remaining: request.remaining })
            return answer
          }),
      },
    },
    { clock, onError, limits: LIMITS, peer: 'the peers thread' },
  )
}

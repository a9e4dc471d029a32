/**
 * Replaces damaged segments by copies from a backup or another node. A copy is written under a temporary name, verified
 * completely and renamed, so a kill at any moment leaves the damaged file or the repaired one.
 */

import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { inSlices } from '#platform/next-turn.ts'
import { replaceSegment } from '#store/backup/replace-segment.ts'
import { storeFault } from '#store/faults.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { clearNote } from '#store/segments/damage-notes.ts'
import {
  type InspectedSegment,
  requireRange,
  type SegmentLinks,
  type Verification,
  verifyCompletely,
} from '#store/segments/inspect-segments.ts'
import { openSegment, segmentPath } from '#store/segments/past-blocks.ts'
import type { Segment } from '#store/segments/segment.ts'
import { isDamage, segmentName } from '#store/segments/segment-layout.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes } from '#types/hash.ts'
import {
  blockVerifier,
  genesisOf,
  type HistoryMarks,
  type HistoryRun,
  inspectHistory,
  readHistoryMarks,
} from './history.ts'
import type { Ledger } from './ledger.ts'

export interface Repair {
  readonly segment: InspectedSegment
  /** Why it could not be repaired; undefined if it was. */
  readonly failure: string | undefined
}

/** Also next to a running node, which then opens the new file. Yields the damaged segments, the newest first. */
export async function* repairHistory(
  ledger: Ledger,
  from: string,
  run: HistoryRun,
): AsyncGenerator<Repair, void, undefined> {
  const source = segmentFolderIn(from)
  const damaged: InspectedSegment[] = []
  for await (const segment of inspectHistory(ledger, run))
    if (segment.problem !== undefined) damaged.push(segment)
  const marks = await readHistoryMarks(ledger)
  const repairer = new Repairer(ledger, source, marks, run)
  // The newest first: a segment is compared with the parent hash of the block after it.
  for (const segment of damaged.reverse()) {
    if (run.signal.aborted) return
    yield { segment, failure: await repairer.repair(segment) }
  }
}

/** A folder of segments, a database, a data directory or a backup. */
function segmentFolderIn(from: string): string {
  const folders = [join(from, 'database', SEGMENT_FOLDER), join(from, SEGMENT_FOLDER), from]
  const found = folders.find((folder) => kindOfPath(folder) === 'directory')
  if (found === undefined) throw usageFault(`There is no directory ${from}; name one with segments in it.`)
  return found
}

class Repairer {
  readonly #source: string
  readonly #folder: string
  readonly #marks: HistoryMarks | undefined
  readonly #run: HistoryRun
  readonly #genesisHash: Uint8Array
  readonly #blocks: Verification['blocks']

  constructor(ledger: Ledger, source: string, marks: HistoryMarks | undefined, run: HistoryRun) {
    this.#source = source
    this.#folder = join(ledger.writer.path, SEGMENT_FOLDER)
    this.#marks = marks
    this.#run = run
    this.#genesisHash = genesisOf(ledger)
    this.#blocks = blockVerifier(ledger)
  }

  async repair({ name, first, last, hasOnlyHeaders }: InspectedSegment): Promise<string | undefined> {
    // Readers prefer a segment to an outline of the same blocks.
    const names = [name, segmentName(first)]
    const found = names.find((each) => kindOfPath(join(this.#source, each)) === 'file')
    if (found === undefined) return `${join(this.#source, name)} is missing`
    const [source, target] = [join(this.#source, found), join(this.#folder, found)]
    try {
      await replaceSegment(target, source, this.#run.signal, async (path) => {
        const segment = openSegment(path)
        try {
          requireRange(segment, path, first, this.#genesisHash)
          const count = this.#marks?.end?.segmentBlocks ?? (last === undefined ? undefined : last - first + 1)
          if (count !== undefined && segment.count !== count)
            throw refused(`it has ${segment.count} blocks instead of ${count}`)
          this.#requireContents(segment, hasOnlyHeaders)
          const links = this.#links(segment)
          if (first > 0 && links.before === undefined && links.last === undefined)
            throw refused('no intact block is next to it; stop the node and give the command again')
          await inSlices(verifyCompletely(segment, path, links, { blocks: this.#blocks }))
        } finally {
          segment.close()
        }
      })
      clearNote(this.#folder, first)
      return undefined
    } catch (error) {
      if (!isDamage(error)) throw error
      return error.message
    }
  }

  /** A copy must have every block that the database promises; an outline names them, and the archive has them. */
  #requireContents(copy: Segment, hadOnlyHeaders: boolean): void {
    if (copy.object !== undefined) return
    const end = copy.first + copy.count
    const required = this.#marks?.firstBlock ?? (hadOnlyHeaders || this.#isPruned(end) ? end : 0)
    for (let number = Math.max(1, copy.first, required); number < end; number++) {
      if (copy.read('body', number, copy.hash(number)) === undefined)
        throw refused(`it has only the header of block ${number}`)
    }
  }

  /** Pruning goes from block 0 on, so a segment before a pruned one is pruned too. */
  #isPruned(end: number): boolean {
    return this.#neighbour(end, (segment) => segment.hasOnlyHeaders) ?? false
  }

  #links({ first, count }: Segment): SegmentLinks {
    const end = first + count
    const marks = this.#marks?.end
    const last =
      marks?.end === end
        ? marks.lastHash
        : this.#neighbour(end, (next) => {
            const header = next.read('header', end, next.hash(end))
            return header && hashToBytes(decodeHeader(header).parentHash)
          })
    return { before: this.#neighbour(first - count, (one) => one.hash(first - 1)), last }
  }

  #neighbour<Value>(first: number, ask: (segment: Segment) => Value): Value | undefined {
    if (first < 0) return undefined
    try {
      const segment = openSegment(segmentPath(this.#folder, first))
      try {
        return ask(segment)
      } finally {
        segment.close()
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return undefined
    }
  }
}

function refused(what: string) {
  return storeFault('SEGMENT_DAMAGED', { sentence: `The copy cannot be used: ${what}.` })
}

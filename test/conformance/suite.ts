import type { OpenTarget } from './rpc/target.ts'

/**
 * What a conformance suite is. A suite reads vectors of one folder of the pack and says of every unit
 * (a file, or a case `file#name`, or a recorded entry `file#index`) how we answer it.
 */
export type Outcome =
  | { readonly unit: string; readonly status: 'met' }
  /** Answered otherwise than the vector, on purpose. `decision` is its row in docs/reference/compatibility.md. */
  | { readonly unit: string; readonly status: 'deviates'; readonly decision: string }
  /** Needs a part of the node that is not built yet; `reason` names it. */
  | { readonly unit: string; readonly status: 'waits'; readonly reason: string }
  | { readonly unit: string; readonly status: 'failed'; readonly reason: string }

export interface Pack {
  /** Absolute path of a file or folder of the pack, given as it is named there. */
  path(relative: string): string
  /** A file of the pack as text. */
  text(relative: string): string
  /** A JSON file of the pack; integers beyond 2^53 are not preserved, use text() where they matter. */
  json(relative: string): unknown
  /** Every file below a folder, as paths relative to the pack, sorted. */
  files(folder: string): string[]
}

export interface Suite {
  /** The folder in the pack that the suite reads, which is also its name on the command line. */
  readonly name: string
  /** The row of the ratchet, where that is not the name: a sample has one of its own. */
  ratchetRow?(): string
  /** Suites of the JSON-RPC are played on what `openTarget` opens. */
  run(pack: Pack, openTarget: OpenTarget): AsyncIterable<Outcome> | Iterable<Outcome>
}

/** Met, unless the check throws: that is a failure of the unit and not of the suite. */
export function outcomeOf(unit: string, check: () => Promise<void> | void): Promise<Outcome> {
  return outcomeOfPlay(unit, async () => {
    await check()
    return { unit, status: 'met' }
  })
}

/** The same for a unit of which playing it says what it came to. */
export async function outcomeOfPlay(unit: string, play: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await play()
  } catch (error) {
    return { unit, status: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

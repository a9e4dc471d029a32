import type { OpenTarget } from './rpc/target.ts'

/**
 * A conformance suite reads the vectors of one folder of the pack and reports Cairn's result for every unit: a file,
 * a case `file#name`, or a recorded entry `file#index`.
 */
export type Outcome =
  | { readonly unit: string; readonly status: 'met' }
  /** A deliberately different answer. `decision` is its row in docs/reference/compatibility.md. */
  | { readonly unit: string; readonly status: 'deviates'; readonly decision: string }
  /** Needs a missing part of the node; `reason` names it. */
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
  /** The ratchet row, if it is not the name: a sample has its own row. */
  ratchetRow?(): string
  /** JSON-RPC suites use the target that `openTarget` opens. */
  run(pack: Pack, openTarget: OpenTarget): AsyncIterable<Outcome> | Iterable<Outcome>
}

/** Met, unless the check throws, which fails the unit and not the suite. */
export function outcomeOf(unit: string, check: () => Promise<void> | void): Promise<Outcome> {
  return outcomeOfPlay(unit, async () => {
    await check()
    return { unit, status: 'met' }
  })
}

/** The same for a unit whose play returns its outcome. */
export async function outcomeOfPlay(unit: string, play: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await play()
  } catch (error) {
    return { unit, status: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

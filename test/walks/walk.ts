/** How long a walk through the house is: which files it enters, in which order, and which rooms it comes back to. */

export interface Entry {
  /** Of one clock for all threads. */
  readonly atNs: number
  /** Below `src`. */
  readonly file: string
  /** Where in it the function begins. */
  readonly offset: number
}

export interface Walk {
  /** In the order in which they are first entered. */
  readonly files: readonly string[]
  /** How often it comes back to a room that it left. */
  readonly reEntries: number
}

/** They serve everyone: whoever calls them has not left the room. */
const SERVANTS = ['types', 'platform']
const SLICE_NS = 200e6

/** The repetitions of a walk, told apart by the pauses between them. What timers do in a pause is no repetition. */
export function splitRuns(entries: readonly Entry[], pauseMs: number): string[][] {
  const runs: Set<string>[] = []
  let last = Number.NEGATIVE_INFINITY
  const ordered = withoutTicks(entries).toSorted((a, b) => a.atNs - b.atNs)
  for (const { atNs, file } of ordered) {
    if (atNs - last > pauseMs * 1e6) runs.push(new Set())
    last = atNs
    runs.at(-1)!.add(file)
  }
  const longest = Math.max(0, ...runs.map(({ size }) => size))
  return runs.filter(({ size }) => size > longest / 2).map((files) => [...files])
}

/** What most repetitions entered, in the order of the longest: a busy machine may cut one in two. */
export function walkOf(runs: readonly (readonly string[])[]): Walk {
  const [longest = []] = runs.toSorted((a, b) => b.length - a.length)
  const isUsual = (file: string) => runs.filter((run) => run.includes(file)).length > runs.length / 2
  const files = longest.filter(isUsual)
  const left = new Set<string>()
  let reEntries = 0
  let room: string | undefined
  for (const file of files) {
    const next = file.slice(0, file.indexOf('/'))
    if (SERVANTS.includes(next) || next === room) continue
    if (room !== undefined) left.add(room)
    if (left.has(next)) reEntries++
    room = next
  }
  return { files, reEntries }
}

/** A function that runs in most slices of time, also in pauses, is a timer's and no part of a walk. */
function withoutTicks(entries: readonly Entry[]): Entry[] {
  const slices = entries.map(({ atNs }) => Math.floor(atNs / SLICE_NS))
  const [first, last] = slices.reduce(
    ([least, most], slice) => [Math.min(least, slice), Math.max(most, slice)],
    [Number.POSITIVE_INFINITY, 0],
  )
  const seen = new Map<string, Set<number>>()
  const slicesOf = ({ file, offset }: Entry): Set<number> => {
    const name = `${file}:${offset}`
    if (!seen.has(name)) seen.set(name, new Set())
    return seen.get(name)!
  }
  for (const [index, entry] of entries.entries()) slicesOf(entry).add(slices[index]!)
  return entries.filter((entry) => slicesOf(entry).size <= (last - first + 1) / 2)
}

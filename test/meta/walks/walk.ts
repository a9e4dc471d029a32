/** The length of a walk through the code: the files it enters, their order, and the rooms it returns to. */

export interface Entry {
  /** The time of one clock for all threads. */
  readonly atNs: number
  /** The path below `src`. */
  readonly file: string
  /** The offset of the function in the file. */
  readonly offset: number
}

export interface Walk {
  /** In the order of their first entry. */
  readonly files: readonly string[]
  /** The number of returns to a room that it left. */
  readonly reEntries: number
}

/** These rooms serve all others, so calling them does not leave a room. */
const SERVANTS = ['types', 'platform']
const SLICE_NS = 200e6

/** The repetitions of a walk, separated by pauses. Timers within a pause are not a repetition. */
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

/** The files that most repetitions entered, in the order of the longest: a busy machine may split one. */
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

/** Removes functions that run in most time slices, also in pauses: they belong to timers. */
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

/**
 * Who enters which file, in every thread of a process. Coverage finds the functions that a walk runs; breakpoints on
 * them, whose condition notes the time and never holds, find the order when it is taken again.
 */
import type { Ask } from './inspect-threads.ts'
import type { Entry } from './walk.ts'

interface FunctionRange {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

interface CoveredScript {
  readonly scriptId: string
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly FunctionRange[] }[]
}

/** A breakpoint takes a tenth of a millisecond: of a file with functions that run more often, the rarest is watched. */
const WATCHED_CALLS_MAX = 50

/** Gives nothing back, so that no breakpoint stops. */
const NOTEBOOK = `globalThis.walkEntries = []
  globalThis.noteEntry = (file, offset) => void walkEntries.push({ atNs: Number(process.hrtime.bigint()), file, offset })`

/** `walk` is taken twice: once to see what runs, once to see in which order. */
export async function recordEntries(
  threads: readonly Ask[],
  sources: string,
  walk: () => Promise<void>,
): Promise<Entry[]> {
  await onEach(threads, async (ask) => {
    await ask('Profiler.enable')
    await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  })
  await walk()
  await onEach(threads, async (ask) => {
    const { result } = (await ask('Profiler.takePreciseCoverage')) as { result: CoveredScript[] }
    await ask('Profiler.stopPreciseCoverage')
    await ask('Runtime.evaluate', { expression: NOTEBOOK })
    await ask('Debugger.enable')
    const own = result.filter(({ url }) => url.startsWith(sources))
    await onEach(own, (script) => breakOn(ask, script, script.url.slice(sources.length)))
  })
  await walk()
  const noted = await onEach(threads, async (ask) => {
    const { result } = await ask('Runtime.evaluate', { expression: 'JSON.stringify(walkEntries)' })
    return JSON.parse(result.value) as Entry[]
  })
  return noted.flat()
}

function onEach<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(items.map(run))
}

async function breakOn(ask: Ask, { scriptId, functions }: CoveredScript, file: string): Promise<void> {
  const { scriptSource } = await ask('Debugger.getScriptSource', { scriptId })
  const placeOf = placesIn(scriptSource, scriptId)
  const entered = functions
    .map(({ ranges }) => ranges[0]!)
    // The module itself ran when it was loaded.
    .filter(({ startOffset, endOffset }) => startOffset > 0 || endOffset < scriptSource.length)
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
    .filter(({ count }, index) => index === 0 || count <= WATCHED_CALLS_MAX)
  await onEach(entered, async ({ startOffset, endOffset }) => {
    const body = { start: placeOf(startOffset), end: placeOf(endOffset), restrictToFunction: true }
    const { locations } = await ask('Debugger.getPossibleBreakpoints', body)
    const [location] = locations
    if (location === undefined) return
    const condition = `noteEntry(${JSON.stringify(file)}, ${startOffset})`
    await ask('Debugger.setBreakpoint', { location, condition }).catch((error: Error) => {
      // Another function begins at the same place: its breakpoint tells the same.
      if (!error.message.includes('already exists')) throw error
    })
  })
}

/** From offsets, which coverage has, to lines and columns, which breakpoints have. */
function placesIn(source: string, scriptId: string) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset: number) => {
    const lineNumber = starts.findLastIndex((start) => start <= offset)
    return { scriptId, lineNumber, columnNumber: offset - starts[lineNumber]! }
  }
}

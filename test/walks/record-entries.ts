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

/**
 * `walk` is taken twice: once to see what runs, once to see in which order. What runs while the process is `idle` belongs to
 * timers and is not recorded.
 */
export async function recordEntries(
  threads: readonly Ask[],
  sources: string,
  walk: () => Promise<void>,
  idle?: () => Promise<void>,
): Promise<Entry[]> {
  const ofTimers = new Set<string>()
  await onEach(threads, async (ask) => {
    await ask('Profiler.enable')
    await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  })
  if (idle !== undefined) {
    await idle()
    await onEach(threads, async (ask) => {
      for (const [script, range] of calledIn(await takeCoverage(ask))) ofTimers.add(placeOf(script, range))
    })
  }
  await walk()
  await onEach(threads, async (ask) => {
    const result = await takeCoverage(ask)
    await ask('Profiler.stopPreciseCoverage')
    await ask('Runtime.evaluate', { expression: NOTEBOOK })
    await ask('Debugger.enable')
    const own = result.filter(({ url }) => url.startsWith(sources))
    await onEach(own, (script) => breakOn(ask, script, script.url.slice(sources.length), ofTimers))
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

/** Since it was taken last. */
async function takeCoverage(ask: Ask): Promise<readonly CoveredScript[]> {
  return (await ask('Profiler.takePreciseCoverage')).result
}

function calledIn(scripts: readonly CoveredScript[]): [CoveredScript, FunctionRange][] {
  return scripts.flatMap((script) =>
    script.functions
      .map(({ ranges }): [CoveredScript, FunctionRange] => [script, ranges[0]!])
      .filter(([, { count }]) => count > 0),
  )
}

function placeOf({ url }: CoveredScript, { startOffset }: FunctionRange): string {
  return `${url}:${startOffset}`
}

async function breakOn(
  ask: Ask,
  script: CoveredScript,
  file: string,
  ofTimers: ReadonlySet<string>,
): Promise<void> {
  const { scriptId } = script
  const { scriptSource } = await ask('Debugger.getScriptSource', { scriptId })
  const lineOf = linesIn(scriptSource, scriptId)
  const entered = calledIn([script])
    .map(([, range]) => range)
    .filter((range) => !ofTimers.has(placeOf(script, range)))
    // The module itself ran when it was loaded.
    .filter(({ startOffset, endOffset }) => startOffset > 0 || endOffset < scriptSource.length)
    .sort((a, b) => a.count - b.count)
    .filter(({ count }, index) => index === 0 || count <= WATCHED_CALLS_MAX)
  await onEach(entered, async ({ startOffset, endOffset }) => {
    const body = { start: lineOf(startOffset), end: lineOf(endOffset), restrictToFunction: true }
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
function linesIn(source: string, scriptId: string) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset: number) => {
    const lineNumber = starts.findLastIndex((start) => start <= offset)
    return { scriptId, lineNumber, columnNumber: offset - starts[lineNumber]! }
  }
}

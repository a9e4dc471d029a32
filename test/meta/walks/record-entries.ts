/**
 * Records which files every thread of a process enters. Coverage finds the functions that a walk runs; breakpoints on
 * them, whose condition records the time and never stops, find their order in a second run.
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

/** A breakpoint takes a tenth of a millisecond, so only the rarest function of a file is watched. */
const WATCHED_CALLS_MAX = 50

/** Returns nothing, so no breakpoint stops. */
const NOTEBOOK = `globalThis.walkEntries = []
  globalThis.noteEntry = (file, offset) => void walkEntries.push({ atNs: Number(process.hrtime.bigint()), file, offset })`

/**
 * Takes `walk` twice: once to find the functions, once to find their order. Functions that run while the process is
 * `idle` belong to timers and are not recorded.
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

/** The coverage since the last call. */
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
      // Another function begins at the same place, and its breakpoint reports the same.
      if (!error.message.includes('already exists')) throw error
    })
  })
}

/** Converts coverage offsets to the lines and columns of breakpoints. */
function linesIn(source: string, scriptId: string) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset: number) => {
    const lineNumber = starts.findLastIndex((start) => start <= offset)
    return { scriptId, lineNumber, columnNumber: offset - starts[lineNumber]! }
  }
}

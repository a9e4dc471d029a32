/**
 *   node test/meta/mutation/try-mutants.ts <settings as JSON>
 *
 * Runs in a copy of the checkout with mutants in it, as a child of main.ts. All tests run once without a mutant, which tells
 * which of them reach which mutant. Then every mutant is switched on in turn, and the tests that reach it run until one
 * fails. After some mutants all tests run without one again: a mutant may leave something behind.
 */
import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type CollectedTest, endAll, enterFile, TESTS } from './collected-tests.ts'
import { ownTimeOf } from './own-time.ts'
import { simulationTests } from './simulation-tests.ts'

export interface Settings {
  readonly tests: readonly string[]
  readonly simulations: number
  readonly mutants: readonly string[]
  /** The number of mutants after which all tests run without one. */
  readonly cleanAfter: number
}

/** `unreached`: no test reaches it. `static`: it was used only while files were loaded. */
export type Verdict = 'killed' | 'survived' | 'unreached' | 'static'

export type Report =
  | { readonly kind: 'begun'; readonly mutant: string }
  | { readonly kind: 'verdict'; readonly mutant: string; readonly verdict: Verdict }
  | { readonly kind: 'alive' | 'clean' | 'done' }
  | { readonly kind: 'polluted'; readonly sentence: string }

/** The object that the instrumented code reads. */
interface Switch {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

/** A mutant that is passed this much more often is in an endless loop. */
const MAX_HITS = { times: 200, more: 20_000 }
/** The same is assumed for a test that takes this much longer than without a mutant. */
const TIME_LIMIT = { times: 20, moreMs: 30_000 }
const LOOK_MS = 1_000
const nowMs = ownTimeOf(process.pid)

const settings = JSON.parse(process.argv[2]!) as Settings
/** Modules imported above have already created it. */
const state: Switch = (globalThis as { __stryker__?: Switch }).__stryker__ ?? {}
Object.assign(globalThis, { __stryker__: state })
const report = (message: Report): void => void process.send!(message)

let stray: unknown
process.on('uncaughtException', (error) => {
  stray = error
})
process.on('unhandledRejection', (error) => {
  stray = error
})

/** The time of each test without a mutant. */
const cleanMs = new Map<CollectedTest, number>()

/** Undefined if it passed. */
async function failureOf(test: CollectedTest): Promise<unknown> {
  stray = undefined
  const limitMs = TIME_LIMIT.times * (cleanMs.get(test) ?? 0) + TIME_LIMIT.moreMs
  const begunMs = nowMs()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (nowMs() - begunMs > limitMs) reject(new Error('The test takes too long.'))
    }, LOOK_MS)
  })
  try {
    await Promise.race([test.run(), late])
    await setImmediate()
    return stray
  } catch (error) {
    return error ?? new Error('The test failed without an error.')
  } finally {
    clearInterval(timer)
    report({ kind: 'alive' })
  }
}

async function collect(): Promise<readonly CollectedTest[]> {
  const own = import.meta.resolve('./collected-tests.ts')
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' ? { url: own, shortCircuit: true } : next(specifier, context),
  })
  for (const file of settings.tests) {
    enterFile(file)
    await import(pathToFileURL(file).href)
  }
  return [...TESTS, ...(await simulationTests(settings.simulations))]
}

/** The tests that reach each mutant, quick ones first, and how often they pass it. */
async function reachOf(tests: readonly CollectedTest[]) {
  for (const [index, test] of tests.entries()) {
    state.currentTestId = `test ${index}`
    const begunMs = nowMs()
    const failure = await failureOf(test)
    if (failure !== undefined) throw new Error(`Without a mutant '${test.name}' fails.`, { cause: failure })
    cleanMs.set(test, nowMs() - begunMs)
  }
  state.currentTestId = undefined
  const { perTest, static: loaded } = state.mutantCoverage ?? { perTest: {}, static: {} }
  const quickFirst = [...tests.entries()].toSorted(([, a], [, b]) => cleanMs.get(a)! - cleanMs.get(b)!)
  return (mutant: string) => {
    const reaching = quickFirst.filter(([index]) => perTest[`test ${index}`]?.[mutant] !== undefined)
    const hits = reaching.reduce((sum, [index]) => sum + perTest[`test ${index}`]![mutant]!, 0)
    return { tests: reaching.map(([, test]) => test), hits, isLoaded: loaded[mutant] !== undefined }
  }
}

async function verdictOf(mutant: string, reach: Reach): Promise<Verdict> {
  const { tests, hits, isLoaded } = reach(mutant)
  if (tests.length === 0) return isLoaded ? 'static' : 'unreached'
  for (const test of tests) {
    Object.assign(state, {
      activeMutant: mutant,
      hitCount: 0,
      hitLimit: MAX_HITS.times * hits + MAX_HITS.more,
    })
    const failure = await failureOf(test)
    Object.assign(state, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined })
    await setImmediate()
    if (failure !== undefined) return 'killed'
  }
  return 'survived'
}

type Reach = Awaited<ReturnType<typeof reachOf>>

async function dirtyTest(tests: readonly CollectedTest[]): Promise<string | undefined> {
  for (const test of tests) if ((await failureOf(test)) !== undefined) return test.name
  return undefined
}

async function tryAll(): Promise<void> {
  const tests = await collect()
  const reach = await reachOf(tests)
  for (const [index, mutant] of settings.mutants.entries()) {
    report({ kind: 'begun', mutant })
    report({ kind: 'verdict', mutant, verdict: await verdictOf(mutant, reach) })
    const isLast = index === settings.mutants.length - 1
    if ((index + 1) % settings.cleanAfter !== 0 && !isLast) continue
    const dirty = await dirtyTest(tests)
    if (dirty !== undefined) {
      report({ kind: 'polluted', sentence: `'${dirty}' fails without a mutant, after ${mutant}.` })
      return
    }
    report({ kind: 'clean' })
  }
  report({ kind: 'done' })
}

/** A mutant in code that runs while files are loaded: it is on from the start, and all tests run. */
async function tryOne(mutant: string): Promise<void> {
  report({ kind: 'begun', mutant })
  const isKilled = await collect()
    .then(dirtyTest)
    .then(
      (name) => name !== undefined,
      () => true,
    )
  report({ kind: 'verdict', mutant, verdict: isKilled ? 'killed' : 'survived' })
  report({ kind: 'done' })
}

const fromTheStart = process.env.__STRYKER_ACTIVE_MUTANT__
if (fromTheStart === undefined) await tryAll()
else await tryOne(fromTheStart)
await endAll()
process.exit()

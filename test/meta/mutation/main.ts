/**
 *   npm run mutate -- <area> [<area> …] [--only <part of a file name>] [--sample 200] [--minutes 30]
 *
 * Mutation testing: every condition, operator and block of an area's files is changed in turn, and a test of the area must
 * fail. Prints the survivors, and the score of each file and area; writes nothing into the checkout. With --sample so many
 * are tried, evenly over the files; with --minutes an area ends after these; both say how many were not tried. Survivors that
 * were looked at stand in docs/internals/mutation.md.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyCheckout } from '../../support/copy-checkout.ts'
import { AREAS, type Area } from './areas.ts'
import { instrument, type Mutant } from './instrument.ts'
import { ownTimeOf } from './own-time.ts'
import type { Report, Settings, Verdict } from './try-mutants.ts'

/** A silent child is terminated after this time: its mutant waits for something that never comes. */
const SILENCE_LIMIT_MS = 120_000
const LOOK_MS = 2_000
const CLEAN_AFTER = 100

const { values: flags, positionals: names } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string', default: 'Infinity' },
    minutes: { type: 'string', default: 'Infinity' },
  },
  allowPositionals: true,
})
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

class Trial {
  readonly verdicts = new Map<string, Verdict>()
  readonly #area: Area
  readonly #folder: string

  readonly #endMs = performance.now() + Number(flags.minutes) * 60_000

  constructor(area: Area, folder: string) {
    this.#area = area
    this.#folder = folder
  }

  async run(mutants: readonly string[]): Promise<void> {
    /** The number of mutants since the last clean run, one of which left something behind. They are tried one at a time. */
    let doubtful = 0
    for (let left = mutants; left.length > 0 && !this.#isOver; ) {
      const [batch, cleanAfter] = doubtful > 0 ? [left.slice(0, doubtful), 1] : [left, CLEAN_AFTER]
      const { tried, isPolluted } = await this.#try(batch, cleanAfter)
      doubtful = doubtful > 0 ? doubtful - tried : isPolluted ? CLEAN_AFTER : 0
      left = left.slice(tried)
      note(`${mutants.length - left.length} of ${mutants.length} mutants tried`)
    }
    for (const [mutant, verdict] of this.verdicts) {
      if (verdict === 'static' && !this.#isOver) await this.#try([mutant], 1, mutant)
    }
  }

  get #isOver(): boolean {
    return performance.now() > this.#endMs
  }

  /** Returns how many of them have a final verdict. */
  #try(mutants: readonly string[], cleanAfter: number, active?: string) {
    const child = this.#start({ mutants, cleanAfter }, active)
    return new Promise<{ tried: number; isPolluted: boolean }>((resolve) => {
      let [tried, clean, isPolluted] = [0, 0, false]
      let current: string | undefined
      const nowMs = ownTimeOf(child.pid!)
      let heardMs = nowMs()
      const timer = setInterval(() => {
        if (nowMs() - heardMs > SILENCE_LIMIT_MS) child.kill('SIGKILL')
      }, LOOK_MS)
      child.on('message', (message: Report) => {
        heardMs = nowMs()
        if (message.kind === 'begun') current = message.mutant
        else if (message.kind === 'verdict') {
          this.verdicts.set(message.mutant, message.verdict)
          if (isAlive(message.verdict)) note(`${message.verdict}: ${message.mutant}`)
          current = undefined
          tried += 1
          if (this.#isOver) child.kill('SIGKILL')
          if (tried % CLEAN_AFTER === 0) note(`${tried} tried`)
        } else if (message.kind === 'clean') clean = tried
        else if (message.kind === 'polluted') {
          isPolluted = true
          note(message.sentence)
          // A mutant that ran alone since the last clean run has its verdict, whatever it left behind.
          tried = cleanAfter === 1 ? tried : clean
        }
      })
      child.on('exit', () => {
        clearInterval(timer)
        if (current === undefined && tried === 0 && !isPolluted)
          throw new Error('The tests cannot be run without a mutant.')
        if (current !== undefined && !this.#isOver) {
          // It never returned, or ended the process.
          note(`mutant ${current} ended the tests`)
          this.verdicts.set(current, 'killed')
          tried += 1
        }
        resolve({ tried, isPolluted })
      })
    })
  }

  #start(what: Pick<Settings, 'mutants' | 'cleanAfter'>, active: string | undefined): ChildProcess {
    const { tests, simulations = 0 } = this.#area
    const files = globSync([...tests], { cwd: this.#folder }).toSorted()
    const settings: Settings = { ...what, simulations, tests: files }
    return fork(
      join(this.#folder, 'test', 'meta', 'mutation', 'try-mutants.ts'),
      [JSON.stringify(settings)],
      {
        cwd: this.#folder,
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: join(this.#folder, '.compile-cache'),
          ...(active !== undefined && { __STRYKER_ACTIVE_MUTANT__: active }),
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    )
  }
}

const isAlive = (verdict: Verdict | undefined): boolean => verdict === 'survived' || verdict === 'unreached'

/** The score of the tried mutants. */
function scoreOf(mutants: readonly Mutant[], verdicts: ReadonlyMap<string, Verdict>): string {
  const tried = mutants
    .map(({ id }) => verdicts.get(id))
    .filter((one) => one !== undefined && one !== 'static')
  const alive = tried.filter(isAlive).length
  const score = tried.length === 0 ? 'none' : (100 * (1 - alive / tried.length)).toFixed(1)
  const untried = mutants.length - tried.length
  const left = untried === 0 ? '' : `, ${untried} not tried`
  return `${mutants.length} mutants, ${tried.length - alive} killed, ${alive} survived${left}, score ${score}`
}

/** Draws evenly from the files. */
function sampleOf(mutants: readonly Mutant[]): readonly Mutant[] {
  const step = Math.max(1, mutants.length / Number(flags.sample))
  return mutants.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step))
}

async function runArea(name: string): Promise<void> {
  const area = AREAS[name]!
  const folder = copyCheckout(mkdtempSync(join(tmpdir(), 'cairn-mutation-')))
  try {
    const all = await instrument(area, folder)
    const mutants = all.filter(({ fileName }) => fileName.includes(flags.only))
    const trial = new Trial(area, folder)
    await trial.run(sampleOf(mutants).map(({ id }) => id))
    for (const [file, own] of Map.groupBy(mutants, ({ fileName }) => fileName)) {
      for (const { id, location, mutatorName, replacement } of own) {
        const verdict = trial.verdicts.get(id)
        if (!isAlive(verdict)) continue
        const text = replacement.replaceAll(/\s+/g, ' ').slice(0, 120)
        const { line, column } = location.start
        say(`${file}:${line + 1}:${column + 1} ${verdict} ${mutatorName}: ${text}`)
      }
      say(`${file}: ${scoreOf(own, trial.verdicts)}`)
    }
    say(`${name}: ${scoreOf(mutants, trial.verdicts)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const unknown = names.find((name) => AREAS[name] === undefined)
if (names.length === 0 || unknown !== undefined) {
  throw new Error(`Name areas: ${Object.keys(AREAS).join(', ')}.`)
}
for (const name of names) await runArea(name)

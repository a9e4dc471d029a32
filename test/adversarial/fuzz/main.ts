/**
 * Feeds every parser of external bytes (`*.fuzz.ts`) with mutations of real inputs.
 *
 *   node test/adversarial/fuzz/main.ts [--seconds 60] [--seed 1] [--only name] [--iteration n]
 *
 * Iterations are independent: the seed and the iteration of a finding repeat it.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Script } from 'node:vm'
import { Fault } from '#types/fault.ts'
import { mutation } from './mutate.ts'
import type { FuzzTarget } from './target.ts'

interface Finding {
  /** Findings at the same place in the code count once. */
  readonly place: string
  readonly iteration: number
  readonly input: Uint8Array
  readonly problem: string
}

const SLOW_MS = 100
/** Duration of iterations between two checks of the total time. */
const STRETCH_MS = 200
/** An iteration that does not end is interrupted after this time. */
const HANG_MS = 10_000
const MAX_FINDINGS = 10
const SHOWN_BYTES = 200
const SHOWN_FRAMES = 4

async function loadTargets(only: string | undefined): Promise<FuzzTarget[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.fuzz.ts'))
  const modules = await Promise.all(files.sort().map((file) => import(`./${file}`)))
  const targets = modules.map((module: { default: FuzzTarget }) => module.default)
  return targets.filter((target) => only === undefined || target.name === only)
}

class Session {
  readonly findings: Finding[] = []
  readonly target: FuzzTarget
  readonly #seeds: readonly Uint8Array[]
  readonly #seed: number
  iteration: number
  executions = 0
  slowestMs = 0

  constructor(target: FuzzTarget, seed: number, iteration: number) {
    this.target = target
    this.#seeds = target.seeds()
    this.#seed = seed
    this.iteration = iteration
  }

  /** Runs iterations until the time or the count is over, or until there are enough findings. */
  run(durationMs: number, maxExecutions: number): void {
    const endsAt = performance.now() + durationMs
    while (
      performance.now() < endsAt &&
      this.executions < maxExecutions &&
      this.findings.length < MAX_FINDINGS
    ) {
      const stretch = () => this.#stretch(Math.min(endsAt, performance.now() + STRETCH_MS), maxExecutions)
      try {
        interruptible(stretch)
      } catch (error) {
        if (!isInterruption(error)) throw error
        this.#find('hang', `does not end within ${HANG_MS} ms`)
        this.iteration++
      }
    }
  }

  #stretch(endsAt: number, maxExecutions: number): void {
    do {
      this.#execute()
      this.iteration++
    } while (
      performance.now() < endsAt &&
      this.executions < maxExecutions &&
      this.findings.length < MAX_FINDINGS
    )
  }

  #execute(): void {
    const input = mutation(this.#seeds, this.#seed, this.iteration)
    this.executions++
    let elapsedMs = this.#time(input)
    // Measures again in CPU time, because the machine may have been busy.
    if (elapsedMs > SLOW_MS) elapsedMs = Math.min(elapsedMs, this.#cpuTime(input))
    if (elapsedMs > SLOW_MS) this.#find('slow', `takes ${elapsedMs.toFixed(0)} ms`)
    this.slowestMs = Math.max(this.slowestMs, elapsedMs)
  }

  #time(input: Uint8Array): number {
    const startedAt = performance.now()
    try {
      this.target.run(input)
    } catch (error) {
      if (!(error instanceof Fault)) {
        const [sentence, ...frames] = (error instanceof Error ? `${error.stack}` : String(error)).split('\n')
        const place = frames.slice(0, SHOWN_FRAMES).join('\n')
        this.#find(place, `${sentence}\n${place}`)
      }
    }
    return performance.now() - startedAt
  }

  #cpuTime(input: Uint8Array): number {
    const before = process.threadCpuUsage()
    this.#time(input)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }

  #find(place: string, problem: string): void {
    if (this.findings.some((finding) => finding.place === place)) return
    const input = mutation(this.#seeds, this.#seed, this.iteration)
    this.findings.push({ place, iteration: this.iteration, input, problem })
  }
}

/** Only vm can interrupt synchronous code that does not end, including everything it calls. */
const callWork = new Script('globalThis.fuzzWork()')

function interruptible(work: () => void): void {
  Object.assign(globalThis, { fuzzWork: work })
  callWork.runInThisContext({ timeout: HANG_MS })
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

function report(session: Session, seed: number, seconds: string): void {
  const { target, executions, slowestMs, findings } = session
  console.log(
    `${target.name}: ${executions} executions in ${seconds} s, seed ${seed}, ` +
      `slowest ${slowestMs.toFixed(1)} ms, findings ${findings.length}`,
  )
  for (const { iteration, input, problem } of findings) {
    const hex = Buffer.from(input.subarray(0, SHOWN_BYTES)).toString('hex')
    const cut = input.length > SHOWN_BYTES ? `... (${input.length} bytes)` : ''
    console.log(`  ${problem}`)
    console.log(`  input 0x${hex}${cut}`)
    console.log(
      `  repeat: node test/adversarial/fuzz/main.ts --only ${target.name} --seed ${seed} --iteration ${iteration}`,
    )
  }
}

function toNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  console.error(`--${name} must be a non-negative number, not '${text}'.`)
  process.exit(2)
}

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
    iteration: { type: 'string' },
  },
})
const seed = toNumber('seed', flags.seed)
const seconds = toNumber('seconds', flags.seconds)
const targets = await loadTargets(flags.only)
if (targets.length === 0) {
  console.error(`There is no fuzz target '${flags.only}'.`)
  process.exit(2)
}
let findings = 0
for (const target of targets) {
  const session = new Session(target, seed, toNumber('iteration', flags.iteration ?? '0'))
  const startedAt = performance.now()
  session.run(seconds * 1000, flags.iteration === undefined ? Number.POSITIVE_INFINITY : 1)
  report(session, seed, ((performance.now() - startedAt) / 1000).toFixed(1))
  findings += session.findings.length
}
process.exitCode = findings > 0 ? 1 : 0

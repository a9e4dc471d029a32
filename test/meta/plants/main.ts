/**
 *   npm run plants [-- --all | --sample 12 --seed 1 | --only <part of a name>]
 *
 * Plants mistakes into a copy of the checkout, one at a time, and runs the check that must notice each. Succeeds when
 * all are noticed. Every check is first run on a copy without a mistake, where it must pass. `--sample` takes that many,
 * drawn from all by the seed; `--all` is the default.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHECKOUT, copyCheckout } from '../../support/copy-checkout.ts'
import { ALL_PLANTS } from './all-plants.ts'
import { drawPlants, type NamedPlant } from './draw-plants.ts'
import type { Plant } from './plant.ts'
import { CLEAN_LIMIT_MS, runCheck } from './run-check.ts'

const { values: flags } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: headSeed() },
    only: { type: 'string', default: '' },
  },
})

/** Each commit draws another sample, and the same commit draws the same one. */
function headSeed(): string {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: CHECKOUT, encoding: 'utf8' })
  return String(Number.parseInt(head.slice(0, 7), 16))
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function chosen(): readonly NamedPlant[] {
  const plants = Object.entries(ALL_PLANTS).filter(([name]) => name.includes(flags.only))
  return flags.sample === undefined ? plants : drawPlants(plants, Number(flags.sample), Number(flags.seed))
}

async function tryPlant(name: string, plant: Plant, folder: string): Promise<string | undefined> {
  const path = join(folder, plant.file)
  const source = readFileSync(path, 'utf8')
  const parts = source.split(plant.from)
  if (parts.length !== 2)
    return `${name}: its text occurs ${parts.length - 1} times in ${plant.file}, not once`
  const planted = parts.join(plant.to)
  stripTypeScriptTypes(planted)
  writeFileSync(path, planted)
  try {
    const { result, output } = await runCheck(plant.caughtBy, folder, plantLimitMs(plant.caughtBy))
    if (result === 'hung') say(`${name}: ${plant.caughtBy} never ended`)
    if (result === 'failed' || result === 'hung') return undefined
    if (result === 'broken') return `${name}: ${plant.caughtBy} did not run:\n${output}`
    return `${name}: not caught by ${plant.caughtBy} (${plant.mistake})`
  } finally {
    writeFileSync(path, source)
  }
}

/** The time of each check without a mistake. */
const cleanMs = new Map<string, number>()

/** A check that takes this long waits for something that never comes. */
function plantLimitMs(check: string): number {
  return 60_000 + 5 * (cleanMs.get(check) ?? 0)
}

const plants = chosen()
if (plants.length === 0) throw new Error(`No plant has '${flags.only}' in its name.`)
say(`${plants.length} of ${Object.keys(ALL_PLANTS).length} plants, seed ${flags.seed}`)
const problems: string[] = []
const checks = [...new Set(plants.map(([, { caughtBy }]) => caughtBy))]
const queue = [...plants]
let caught = 0

/** Resolves when every check has run without a mistake: until then its time limit is unknown. */
const cleanRuns = Promise.withResolvers<void>()
let measuring = 0

async function work(): Promise<void> {
  const folder = copyCheckout(mkdtempSync(join(tmpdir(), 'cairn-plants-')))
  try {
    measuring += 1
    for (let check = checks.pop(); check !== undefined; check = checks.pop()) {
      const startedMs = performance.now()
      const { result, output } = await runCheck(check, folder, CLEAN_LIMIT_MS)
      cleanMs.set(check, performance.now() - startedMs)
      if (result !== 'passed') problems.push(`${check} ${result} without a mistake:\n${output}`)
    }
    measuring -= 1
    if (measuring === 0) cleanRuns.resolve()
    await cleanRuns.promise
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const startedMs = performance.now()
      const problem = await tryPlant(...next, folder)
      if (problem === undefined) caught += 1
      else problems.push(problem)
      say(problem ?? `${next[0]}: caught in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await Promise.all(Array.from({ length: Math.min(availableParallelism(), plants.length) }, work))
for (const problem of problems) process.stderr.write(`${problem}\n`)
say(`plants: ${caught} of ${plants.length} caught`)
if (problems.length > 0) process.exitCode = 1

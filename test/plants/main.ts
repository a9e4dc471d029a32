/**
 *   npm run plants [-- --sample 12 --seed 1 --only <part of a name>]
 *
 * Plants mistakes into a copy of the checkout, one at a time, and runs the check that must notice each. Succeeds when
 * all are noticed. Every check is first run on a copy without a mistake, where it must pass. `--sample` takes that many,
 * drawn by the seed.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../fuzz-engines/random.ts'
import { ALL_PLANTS } from './all-plants.ts'
import { CHECKOUT, copyCheckout } from './copy.ts'
import type { Plant } from './plant.ts'
import { runCheck } from './run-check.ts'

const { values: flags } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: headSeed() },
    only: { type: 'string', default: '' },
  },
})

/** Each commit draws another sample, and the same commit the same. */
function headSeed(): string {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: CHECKOUT, encoding: 'utf8' })
  return String(Number.parseInt(head.slice(0, 7), 16))
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function chosen(): [string, Plant][] {
  const plants = Object.entries(ALL_PLANTS).filter(([name]) => name.includes(flags.only))
  if (flags.sample === undefined) return plants
  const random = new Random(Number(flags.seed), 0)
  const rest = [...plants]
  return Array.from({ length: Math.min(Number(flags.sample), rest.length) }, () => {
    const [drawn] = rest.splice(random.below(rest.length), 1)
    return drawn!
  })
}

async function tryPlant(name: string, plant: Plant, folder: string): Promise<string | undefined> {
  const path = join(folder, plant.file)
  const source = readFileSync(path, 'utf8')
  const parts = source.split(plant.from)
  if (parts.length !== 2)
    return `${name}: its text stands ${parts.length - 1} times in ${plant.file}, not once`
  const planted = parts.join(plant.to)
  stripTypeScriptTypes(planted)
  writeFileSync(path, planted)
  try {
    const { result, output } = await runCheck(plant.caughtBy, folder)
    if (result === 'failed' || result === 'hung') return undefined
    if (result === 'broken') return `${name}: ${plant.caughtBy} did not run:\n${output}`
    return `${name}: not caught by ${plant.caughtBy} (${plant.mistake})`
  } finally {
    writeFileSync(path, source)
  }
}

const plants = chosen()
if (plants.length === 0) throw new Error(`No plant has '${flags.only}' in its name.`)
say(`${plants.length} of ${Object.keys(ALL_PLANTS).length} plants, seed ${flags.seed}`)
const problems: string[] = []
const checks = [...new Set(plants.map(([, { caughtBy }]) => caughtBy))]
const queue = [...plants]
let caught = 0

async function work(): Promise<void> {
  const folder = copyCheckout()
  try {
    for (let check = checks.pop(); check !== undefined; check = checks.pop()) {
      const { result, output } = await runCheck(check, folder)
      if (result !== 'passed') problems.push(`${check} ${result} without a mistake:\n${output}`)
    }
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const problem = await tryPlant(...next, folder)
      if (problem === undefined) caught += 1
      else problems.push(problem)
      say(problem ?? `${next[0]}: caught`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await Promise.all(Array.from({ length: Math.min(availableParallelism(), plants.length) }, work))
for (const problem of problems) process.stderr.write(`${problem}\n`)
say(`plants: ${caught} of ${plants.length} caught`)
if (problems.length > 0) process.exitCode = 1

// node scripts/run-stages.ts check | all | <stage>... [--floors]
// Runs stages and ends with one line `N passed, N failed`. --floors records how many checks passed as the new floors, of all
// stages if none is named (npm run floors).
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadFloors, saveFloors, unfitFloor } from './floors.ts'
import { Pages, runInLanes } from './lanes.ts'
import { runStage } from './run-stage.ts'
import { ALL, CHECK, type Stage } from './stages.ts'

/** A stage that shares the machine uses about one core. */
const LANES = Math.min(availableParallelism(), 4)

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { floors: { type: 'boolean', default: false } },
  allowPositionals: true,
})

function chooseStages(names: readonly string[]): readonly Stage[] {
  if (names[0] === 'all' || (names.length === 0 && values.floors)) return ALL
  if (names[0] === 'check') return CHECK
  const unknown = names.filter((name) => !ALL.some((stage) => stage.name === name))
  if (names.length > 0 && unknown.length === 0) return ALL.filter(({ name }) => names.includes(name))
  const known = ALL.map(({ name }) => `'${name}'`).join(', ')
  console.error(`Name check, all, or stages: ${known}.`)
  process.exit(2)
}

const floors = loadFloors()
const counted: Record<string, number> = {}
const sum = { passed: 0, failed: 0 }
const pages = new Pages((text) => process.stdout.write(text))

/** Returns the rows of a stage in the final table. */
async function runOne(stage: Stage): Promise<string[]> {
  const page = pages.open()
  page.show(`\n== ${stage.name}\n`)
  const start = performance.now()
  const tally = await runStage(stage, root, page.show)
  page.close()
  const problems = [...tally.problems, ...(values.floors ? [] : unfitFloor(stage, tally, floors))]
  if (stage.counts !== 'exit code' && problems.length + tally.failed === 0) counted[stage.name] = tally.passed
  const failed = tally.failed + problems.length
  sum.passed += tally.passed
  sum.failed += failed
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  return [
    `${stage.name.padEnd(32)} ${seconds.padStart(7)} s  ${tally.passed} passed, ${failed} failed.`,
    ...problems.map((problem) => `  ${stage.name}: ${problem}`),
  ]
}

const begun = performance.now()
const rows = (await runInLanes(chooseStages(positionals), LANES, runOne)).flat()
if (values.floors) saveFloors({ ...floors, ...counted })
console.log(
  `\n${rows.join('\n')}\n${'total'.padEnd(32)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s\n`,
)
console.log(`${sum.passed} passed, ${sum.failed} failed`)
process.exitCode = sum.failed === 0 ? 0 : 1

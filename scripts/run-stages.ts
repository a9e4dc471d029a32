// node scripts/run-stages.ts check | all | <stage>... [--raise]
// Runs stages and ends with one line `N passed, N failed`. --raise records how many checks passed as the new floors.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { belowFloor, loadFloors, raisedFloors, saveFloors } from './floors.ts'
import { runStage } from './run-stage.ts'
import { ALL, CHECK, type Stage } from './stages.ts'

const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { raise: { type: 'boolean', default: false } },
  allowPositionals: true,
})

function chooseStages(names: readonly string[]): readonly Stage[] {
  if (names[0] === 'all') return ALL
  if (names[0] === 'check') return CHECK
  const unknown = names.filter((name) => !ALL.some((stage) => stage.name === name))
  if (names.length > 0 && unknown.length === 0) return ALL.filter(({ name }) => names.includes(name))
  const known = ALL.map(({ name }) => `'${name}'`).join(', ')
  console.error(`Name check, all, or stages: ${known}.`)
  process.exit(2)
}

const stages = chooseStages(positionals)
const begun = performance.now()
const floors = loadFloors()
const counted: Record<string, number> = {}
const rows: string[] = []
const sum = { passed: 0, failed: 0 }
for (const stage of stages) {
  console.log(`\n== ${stage.name}`)
  const start = performance.now()
  const tally = await runStage(stage, root, (text) => process.stdout.write(text))
  const problems = [...tally.problems, ...(values.raise ? [] : belowFloor(stage, tally, floors))]
  if (stage.counts !== 'exit code' && problems.length + tally.failed === 0) counted[stage.name] = tally.passed
  const failed = tally.failed + problems.length
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  rows.push(`${stage.name.padEnd(32)} ${seconds.padStart(7)} s  ${tally.passed} passed, ${failed} failed.`)
  for (const problem of problems) rows.push(`  ${stage.name}: ${problem}`)
  sum.passed += tally.passed
  sum.failed += failed
}
if (values.raise) saveFloors(raisedFloors(floors, counted))
console.log(
  `\n${rows.join('\n')}\n${'total'.padEnd(32)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s\n`,
)
console.log(`${sum.passed} passed, ${sum.failed} failed`)
process.exitCode = sum.failed === 0 ? 0 : 1

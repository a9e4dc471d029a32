/**
 * Runs both engines on the same random blocks and requires equal results.
 *
 *   node test/adversarial/fuzz-engines/main.ts [--count 2000] [--geth 40] [--seed 1] [--iteration n] [--fork name] [--verbose]
 *
 * `--count` is a number of transactions; `--geth` is the number of blocks that geth also executes, by default a fiftieth of
 * the count. `--addon` is another binary than the checkout's. Iterations are independent: the seed and the iteration of a
 * finding repeat it.
 */
import { parseArgs } from 'node:util'
import type { Engine } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'
import { findGethProgram } from '../../support/geth-program.ts'
import { Random } from '../../support/random.ts'
import { knownDifference } from './known-differences.ts'
import { type Played, play } from './play.ts'
import { createScenario, FUZZED_FORKS } from './scenario.ts'
import { compareWithGeth } from './third-opinion.ts'
import { createWorld } from './world.ts'

const MAX_FINDINGS = 10
/** Blocks between two progress lines of a long run. */
const BLOCKS_PER_REPORT = 5_000
/** Transactions per block that geth also executes. */
const GETH_SHARE = 50

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    geth: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    iteration: { type: 'string' },
    fork: { type: 'string' },
    addon: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

const tally = new Map<string, number>()
const count = (name: string, times = 1): void => void tally.set(name, (tally.get(name) ?? 0) + times)

async function main(): Promise<number> {
  const native = createNativeEngine(values.addon)
  if (!native.ok) {
    console.error(`Cannot load the native engine. ${native.sentence} Run npm run build:native.`)
    return 1
  }
  const engines = [await createJsEngine(), native.engine] as const
  const [seed, wanted] = [Number(values.seed), Number(values.count)]
  const only = values.iteration === undefined ? undefined : Number(values.iteration)
  let [transactions, findings, iteration] = [0, 0, only ?? 0]
  console.log(`seed ${seed}`)
  while (transactions < wanted && findings < MAX_FINDINGS) {
    const { played, difference } = await compare(engines, seed, iteration)
    transactions += played.transactions
    for (const [ending, times] of played.endings) count(ending, times)
    if (difference !== undefined) {
      findings++
      console.log(`\nDIFFERENCE --seed ${seed} --iteration ${iteration}\n${difference}`)
    }
    iteration++
    if (only !== undefined) break
    if (iteration % BLOCKS_PER_REPORT === 0) console.log(`${transactions} of ${wanted} transactions so far`)
  }
  findings += await askThird(native.engine, seed, only)
  const list = [...tally].sort((a, b) => b[1] - a[1]).map(([name, times]) => `  ${times} ${name}`)
  console.log(
    `${transactions} transactions, ${iteration} blocks, ${findings} differences\n${list.join('\n')}`,
  )
  return findings === 0 ? 0 : 1
}

/** Returns the number of blocks on which geth differs. */
async function askThird(engine: Engine, seed: number, only: number | undefined): Promise<number> {
  const wanted = Number(values.geth ?? Math.ceil(Number(values.count) / GETH_SHARE))
  if (wanted === 0) return 0
  const program = findGethProgram('evm')
  if (program === undefined) {
    console.log('SKIPPED: geth is not asked, because Go is missing.')
    return 0
  }
  const [first, end] = only === undefined ? [0, wanted] : [only, only + 1]
  let [transactions, findings] = [0, 0]
  for (let iteration = first; iteration < end && findings < MAX_FINDINGS; iteration++) {
    const opinion = await compareWithGeth(engine, program, seed, iteration)
    transactions += opinion.transactions
    if (opinion.difference === undefined) continue
    findings++
    console.log(`\nGETH --seed ${seed} --iteration ${iteration}\n${opinion.difference}`)
  }
  console.log(`geth: ${transactions} transactions, ${end - first} blocks, ${findings} differences`)
  return findings
}

async function compare([js, native]: readonly [Engine, Engine], seed: number, iteration: number) {
  const random = new Random(seed, iteration)
  const fork = (values.fork as ForkName | undefined) ?? random.pick(FUZZED_FORKS)
  const world = createWorld(random)
  const scenario = createScenario(random, world, fork)
  const played = await play(js, world, scenario)
  const other = await play(native, world, scenario)
  if (values.verbose) console.log(`${played.lines.join('\n')}\n\n${other.lines.join('\n')}`)
  return { played, difference: firstDifference(played, other, fork) }
}

function firstDifference(js: Played, native: Played, fork: string): string | undefined {
  const length = Math.max(js.lines.length, native.lines.length)
  for (let line = 0; line < length; line++) {
    const [a, b] = [js.lines[line], native.lines[line]]
    if (a === b) continue
    const known = knownDifference(a, b)
    if (known === undefined) return `  line ${line}, ${fork}\n    js     ${a}\n    native ${b}`
    count(`known: ${known}`)
  }
  return undefined
}

process.exitCode = await main()

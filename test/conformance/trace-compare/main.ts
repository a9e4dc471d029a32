/**
 * The trace events of both engines, byte for byte: over the state tests of the pack, and over random blocks.
 *
 *   node test/conformance/trace-compare/main.ts [--sample 1] [--count 500] [--seed 1]
 *
 * `--sample`: every nth case; 1 for all, which takes long. `--count`: random transactions.
 */
import { parseArgs } from 'node:util'
import { play } from '../../adversarial/fuzz-engines/play.ts'
import { createScenario, FUZZED_FORKS } from '../../adversarial/fuzz-engines/scenario.ts'
import { createWorld } from '../../adversarial/fuzz-engines/world.ts'
import { Random } from '../../support/random.ts'
import { openPack } from '../pack.ts'
import { runFiles } from '../state-tests/run-files.ts'
import { createComparingEngine } from './comparing-engine.ts'

/** By default as much as takes some ten seconds. */
const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

const SAMPLE = Number(values.sample)
/** And every how many of their cases; the last are a handful. */
const FOLDERS: readonly (readonly [string, number])[] = [
  ['state-tests/general-state', SAMPLE],
  ['state-tests/eest-state', SAMPLE],
  ['state-tests/regressions', 1],
]

async function compareStateTests(): Promise<number> {
  const pack = openPack()
  if (pack === undefined) {
    console.log('state tests: none, there is no pack beside the checkout')
    return 0
  }
  process.env.CAIRN_TRACE_COMPARE = '1'
  let [failed, compared] = [0, 0]
  for (const [folder, sample] of FOLDERS) {
    for await (const outcome of runFiles(pack, folder, 'state', sample)) {
      compared++
      if (outcome.status !== 'failed') continue
      failed++
      console.log(`${folder}/${outcome.unit}: ${outcome.reason}`)
    }
  }
  console.log(`state tests: ${compared} compared, ${failed} differ`)
  return failed
}

async function compareRandomBlocks(): Promise<number> {
  const { engine, counts } = await createComparingEngine()
  const seed = Number(values.seed)
  console.log(`seed ${seed}`)
  let [failed, iteration] = [0, 0]
  for (; counts.transactions < Number(values.count); iteration++) {
    const random = new Random(seed, iteration)
    const fork = random.pick(FUZZED_FORKS)
    const world = createWorld(random)
    await play(engine, world, createScenario(random, world, fork)).catch((error: unknown) => {
      failed++
      console.log(
        `--seed ${seed}, block ${iteration}, ${fork}: ${error instanceof Error ? error.message : error}`,
      )
    })
  }
  console.log(
    `random blocks: ${counts.transactions} transactions, ${counts.bytes} bytes of events, ` +
      `${counts.known} with explained differences, ${failed} blocks differ`,
  )
  return failed
}

process.exitCode = (await compareRandomBlocks()) + (await compareStateTests()) === 0 ? 0 : 1

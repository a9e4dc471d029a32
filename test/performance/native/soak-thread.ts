// One thread of soak.ts: runs the blocks in rounds and digests the engine's results for each.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createNativeEngine } from '#evm/engine-native.ts'
import { createStateLookup, type LookupKind } from '#evm/state-lookup.ts'
import { play } from '../../adversarial/fuzz-engines/play.ts'
import { createScenario, FUZZED_FORKS, type Scenario } from '../../adversarial/fuzz-engines/scenario.ts'
import { createWorld, type World } from '../../adversarial/fuzz-engines/world.ts'
import { Random } from '../../support/random.ts'
import type { SoakReport } from './soak.ts'

const { seed, seconds } = workerData as { seed: number; seconds: number }
/** Created once and run repeatedly, because creating a block takes longer than running it. */
const BLOCKS = 128
/** One block in this many is cancelled, and one loses its state. */
const TROUBLE_EVERY = 8
/** The number of lookups before the trouble. */
const LOOKUPS_BEFORE_TROUBLE = 5

const native = createNativeEngine()
if (!native.ok) throw new Error(`${native.sentence} Run npm run build:native.`)
const { engine } = native
const made = Array.from({ length: BLOCKS }, (_, index) => {
  const random = new Random(seed, index)
  const world = createWorld(random)
  return { world, scenario: createScenario(random, world, random.pick(FUZZED_FORKS)) }
})
const signed = { digest: new Uint8Array(32).fill(1), r: 1n, s: 1n, yParity: 1 } as const
const digests: string[] = []
for (let index = 0; index < BLOCKS; index++) digests.push(await run(index))
parentPort!.postMessage('ready')
await once(parentPort!, 'message')
let [blocks, changed] = [0, 0]
const end = performance.now() + seconds * 1000
for (; performance.now() < end; blocks++) {
  const index = blocks % BLOCKS
  if ((await run(index)) !== digests[index]) changed++
}
const report: SoakReport = { blocks, digests, changed }
parentPort!.postMessage(report)

async function run(index: number): Promise<string> {
  const { world, scenario } = made[index]!
  const { lines } = await play(engine, world, scenario)
  if (index % TROUBLE_EVERY === 0) await endInTrouble(world, scenario, index)
  await engine.recoverSenders!([signed])
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** Runs the block again, cancelled during execution or with a failing state. */
async function endInTrouble(world: World, { block, rules, actions }: Scenario, index: number): Promise<void> {
  const cancel = new Int32Array(new SharedArrayBuffer(4))
  const state = createStateLookup(world.state)
  const isCancelled = index % (2 * TROUBLE_EVERY) === 0
  let left = LOOKUPS_BEFORE_TROUBLE
  const lookup = (kind: LookupKind): number => {
    if (left-- > 0) return state.lookup(kind)
    if (!isCancelled) throw new Error('the disk is gone')
    cancel[0] = 1
    return state.lookup(kind)
  }
  using session = engine.open(block, rules, { scratch: state.scratch, lookup }, { cancel })
  const transactions = actions.flatMap((action) => (action.kind === 'run' ? action.transactions : []))
  try {
    await session.run(transactions)
  } catch (error) {
    if (!/the disk is gone|cancelled/.test((error as Error).message)) throw error
  }
}

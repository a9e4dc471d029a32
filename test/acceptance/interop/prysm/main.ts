/**
 * npm run nightly -- prysm: two pairs of Prysm and Cairn, or one of Prysm and geth, each with half of the validators, reach
 * finality with transfers, token transfers and blobs in their blocks. Then one of the four programs after another is killed,
 * and finality resumes. At the end both execution clients have the same final blocks.
 *
 *   --fork electra|fulu   the fork of the network (electra)
 *   --second cairn|geth   the execution client of the second pair (cairn)
 *   --kills 20            how many programs are killed
 *   --slot 2              seconds of a slot; a busy machine needs more
 *   --seconds 600         how long each step may take
 *   --seed 1              repeats the choices of a run
 *   --keep                keeps the folder with the logs
 */
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pause, systemClock } from '#platform/clock.ts'
import { findGethProgram } from '../../../support/geth-program.ts'
import { findPrysm } from '../../../support/prysm-program.ts'
import { Random } from '../../../support/random.ts'
import { Devnet, type DevnetFork, type Finality, Pair } from './devnet.ts'
import { Load } from './load.ts'

const POLL_MS = 3_000

const { values } = parseArgs({
  options: {
    fork: { type: 'string', default: 'electra' },
    second: { type: 'string', default: 'cairn' },
    kills: { type: 'string', default: '20' },
    slot: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
})

/** Kills fall anywhere in a few slots, and programs return up to two slots later. */
const KILL_WITHIN_MS = 4_000 * Number(values.slot)
const RETURN_WITHIN_MS = 2_000 * Number(values.slot)
const random = new Random(Number(values.seed), 0)

/** Sends transactions and prints the finality of both pairs until a condition holds. */
async function watch(isDone: (first: Finality, second: Finality) => Promise<boolean>): Promise<void> {
  const endsAtMs = systemClock.monotonicMs() + Number(values.seconds) * 1_000
  while (systemClock.monotonicMs() < endsAtMs) {
    await pause(systemClock, POLL_MS)
    await load.send()
    const [one, other] = [await first.finality(), await second.finality()]
    console.log(`latest ${one.latest} ${other.latest}, final ${one.finalized} ${other.finalized}`)
    if (await isDone(one, other)) return
  }
  throw new Error(`Finality took longer than ${values.seconds} seconds.`)
}

/** Resolves when both pairs finalized a block above one and have the same one, and validated their heads. */
async function untilFinalAbove(number: number): Promise<void> {
  await watch(async (one, other) => {
    const lower = one.finalized < other.finalized ? one : other
    if (lower.finalized <= number || !(await first.has(lower)) || !(await second.has(lower))) return false
    return !(await first.isOptimistic()) && !(await second.isOptimistic())
  })
}

/** Kills one of the four programs at any moment, and starts it again. */
async function killOne(): Promise<string> {
  const [name, pair] = random.pick([['first', first] as const, ['second', second] as const])
  const isNode = random.chance(0.5)
  await pause(systemClock, random.below(KILL_WITHIN_MS))
  if (isNode) await pair.killNode()
  else await pair.killBeacon()
  await pause(systemClock, random.below(RETURN_WITHIN_MS))
  if (!isNode) await pair.startBeacon()
  else {
    await pair.startNode()
    await second.connect(first)
    await load.resume(second.rpc, first.rpc)
  }
  return `the ${name} ${isNode ? pair.client : 'Prysm'}`
}

/** Compares every final block; returns how many each pair proposed. */
async function comparedBlocks(finalized: number): Promise<readonly [number, number]> {
  const proposals: [number, number] = [0, 0]
  for (let number = 1; number <= finalized; number++) {
    const tag = `0x${number.toString(16)}`
    const [one, other] = [await first.block(tag), await second.block(tag)]
    if (one === undefined || one.hash !== other?.hash)
      throw new Error(`Block ${number} is ${one?.hash} and ${other?.hash}.`)
    proposals[one.miner === first.feeRecipient ? 0 : 1]++
  }
  return proposals
}

const prysm = findPrysm()
if (prysm === undefined) throw new Error('Go is missing, which builds Prysm.')
const geth = values.second === 'geth' ? findGethProgram('geth') : undefined
const fork = values.fork as DevnetFork
const net = new Devnet(prysm, { fork, slotSeconds: Number(values.slot) })
console.log(`Logs are in ${net.folder}.`)
const first = await Pair.start(net, { name: 'first', feeRecipient: `0x${'11'.repeat(20)}` })
const second = await Pair.start(net, {
  name: 'second',
  feeRecipient: `0x${'12'.repeat(20)}`,
  ...(geth !== undefined && { geth }),
})
await Pair.acquaint(first, second)
net.startValidators([first, second])
await second.connect(first)
const load = await Load.create(second.rpc, { version: fork === 'fulu' ? 1 : 0 })
const startedMs = systemClock.monotonicMs()
const elapsed = (): string => `${Math.round((systemClock.monotonicMs() - startedMs) / 1_000)} s`
try {
  await untilFinalAbove(0)
  console.log(`Final on ${fork} after ${elapsed()}`)
  for (let kill = 1; kill <= Number(values.kills); kill++) {
    const before = Math.max((await first.finality()).latest, (await second.finality()).latest)
    const killed = await killOne()
    // The block of the kill itself must become final.
    await untilFinalAbove(before)
    console.log(`Kill ${kill}, ${killed}: final again, ${elapsed()}`)
  }
  await watch(async ({ finalized }) =>
    Object.values(await load.countFinal(finalized)).every((count) => count > Number(values.kills)),
  )
  const { finalized } = await first.finality()
  const final = await load.countFinal(finalized)
  console.log(`Final on both: ${JSON.stringify(final)} after ${elapsed()} and ${values.kills} kills`)
  const [own, others] = await comparedBlocks(finalized)
  console.log(
    `${finalized} final blocks are the same on both: ${own} of the first pair, ${others} of the second`,
  )
} finally {
  await net.stopValidators()
  await second.stop()
  await first.stop()
  if (!values.keep) rmSync(net.folder, { recursive: true })
}

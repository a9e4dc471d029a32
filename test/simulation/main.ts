/**
 *   npm run simulate -- --seed 1 --heights 2000 [--from 0] [--validators 4] [--plant <name>] [--composing] [--linked] [--mixed] [--mutating] [--wire] [--calm] [--verbose]
 *
 * Runs QBFT and IBFT 2.0 validators in one process, on virtual time, network and disk. The same seed prints the same line.
 * --from begins at a simulation that an earlier run named.
 * --mixed makes QBFT validators send blocks above round 0 in all three forms (ADR 41).
 * --mutating makes one of four mutate its proposed blocks, which the real rules of a network judge.
 * --composing makes up to f validators compose their attacks (attacker.ts).
 * --linked gives validators few links, which change, and liars about who hears whom (ADR 76).
 * --plant plants a mistake in every honest validator; the command succeeds if it is caught.
 */
import { parseArgs } from 'node:util'
import { loadCrypto } from '#evm/crypto.ts'
import { Random } from '../support/random.ts'
import { PLANTS, type Plant } from './plants.ts'
import {
  ATTACK_SIZES,
  attackScenarioOf,
  calmScenario,
  LINKED_SIZES,
  linkedScenarioOf,
  mutatedScenarioOf,
  restoredScenarioOf,
  SIZES,
  scenarioOf,
} from './scenario.ts'
import { type Outcome, simulate } from './simulation.ts'

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    heights: { type: 'string', default: '2000' },
    from: { type: 'string', default: '0' },
    validators: { type: 'string' },
    plant: { type: 'string' },
    composing: { type: 'boolean', default: false },
    linked: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
    wire: { type: 'boolean', default: false },
    mutating: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

const HEIGHTS_PER_SIMULATION = 12
/** Each simulation uses one network, whose genesis block takes as long as several heights. */
const MUTATED_HEIGHTS = 48
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const crypto = await loadCrypto()
const seed = Number(flags.seed)

if (flags.calm) await runCalm()
else if (flags.plant === 'all') for (const name of Object.keys(PLANTS)) await catchPlant(name)
else if (flags.plant !== undefined) await catchPlant(flags.plant)
else await runChaos(Number(flags.heights))

async function runOne(index: number, plantName?: string): Promise<Outcome> {
  const random = new Random(seed, index)
  if (flags.mutating) return simulate(mutatedScenarioOf(random, MUTATED_HEIGHTS), random, crypto)
  const plant = plantName === undefined ? undefined : PLANTS[plantName]
  if (flags.linked || plant?.isLinked) return runLinked(index, random, plant)
  const isAttacked = flags.composing || plant?.isAttacked === true
  const isRestored = plant?.isRestored === true
  const usualSizes = isAttacked || isRestored ? ATTACK_SIZES : SIZES
  const size =
    flags.validators === undefined ? usualSizes[index % usualSizes.length]! : Number(flags.validators)
  const draw = isAttacked ? attackScenarioOf : isRestored ? restoredScenarioOf : scenarioOf
  const scenario = draw(random, size, HEIGHTS_PER_SIMULATION)
  const outcome = await simulate(
    { ...scenario, isWireSimulated: flags.wire, isMixed: flags.mixed },
    random,
    crypto,
    plant,
  )
  if (flags.verbose) say(`${index}: ${scenario.protocol} ${scenario.size} ${JSON.stringify(outcome)}`)
  return outcome
}

async function runLinked(index: number, random: Random, plant?: Plant): Promise<Outcome> {
  const size = Number(flags.validators ?? LINKED_SIZES[index % LINKED_SIZES.length])
  const scenario = linkedScenarioOf(random, size, HEIGHTS_PER_SIMULATION)
  const outcome = await simulate(scenario, random, crypto, plant)
  if (flags.verbose) say(`${index}: ${scenario.protocol} ${scenario.size} ${JSON.stringify(outcome)}`)
  return outcome
}

async function runChaos(heights: number): Promise<void> {
  const total = { simulations: 0, heights: 0, rounds: 0, messages: 0, faults: 0, violations: 0 }
  let fingerprint = 0
  const start = performance.now()
  for (let index = Number(flags.from); total.heights < heights; index++) {
    const outcome = await runOne(index)
    total.simulations += 1
    total.heights += outcome.heights
    total.rounds += outcome.rounds
    total.messages += outcome.messages
    total.faults += outcome.faults
    total.violations += outcome.violations.length
    fingerprint = (Math.imul(fingerprint, 31) + Number.parseInt(outcome.fingerprint.slice(2, 10), 16)) >>> 0
    for (const violation of outcome.violations) say(`seed ${seed}, simulation ${index}: ${violation}`)
  }
  const counts = Object.entries(total).map(([name, count]) => `${name} ${count}`)
  say(`seed ${seed}: ${counts.join(', ')}, fingerprint ${fingerprint.toString(16)}`)
  process.stderr.write(
    `${Math.round((total.heights / (performance.now() - start)) * 1_000)} heights per second\n`,
  )
  if (total.violations > 0) process.exitCode = 1
}

/** Runs until a simulation shows the mistake. A run without --plant shows that the same simulations are clean. */
async function catchPlant(name: string): Promise<void> {
  const plant = PLANTS[name]
  if (plant === undefined)
    throw new Error(`There is no plant ${name}. There are: ${Object.keys(PLANTS).join(', ')}.`)
  for (let index = 0; index < plant.seeds; index++) {
    const { violations } = await runOne(index, name)
    if (violations.length === 0) continue
    say(`${name}: caught after ${index + 1} of ${plant.seeds} simulations: ${violations[0]}`)
    return
  }
  say(`${name}: not caught in ${plant.seeds} simulations (${plant.mistake})`)
  process.exitCode = 1
}

/** Runs without faults, to measure the cost of a height. */
async function runCalm(): Promise<void> {
  const size = Number(flags.validators ?? 100)
  const heights = Number(flags.heights)
  for (const protocol of ['qbft', 'ibft2'] as const) {
    const start = performance.now()
    const outcome = await simulate(calmScenario(size, heights, protocol), new Random(seed, 0), crypto)
    const seconds = (performance.now() - start) / 1_000
    for (const violation of outcome.violations) say(violation)
    if (outcome.violations.length > 0) process.exitCode = 1
    say(
      `${protocol}, ${size} validators: ${outcome.heights} heights, ${Math.round(outcome.messages / outcome.heights)} messages per height, ${seconds.toFixed(1)} s`,
    )
  }
}

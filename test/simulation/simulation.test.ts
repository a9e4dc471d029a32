/*
 * Two thousand heights of QBFT and IBFT 2.0 over all sizes and fault mixes, and every planted mistake caught. The seed is
 * fixed, so a run has the same result everywhere; `npm run simulate` and `npm run nightly -- simulate` try others.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCrypto } from '#evm/crypto.ts'
import { Random } from '../support/random.ts'
import { PLANTS, type Plant } from './plants.ts'
import {
  ATTACK_SIZES,
  attackScenarioOf,
  LINKED_SIZES,
  linkedScenarioOf,
  mutatedScenarioOf,
  restoredScenarioOf,
  SIZES,
  scenarioOf,
} from './scenario.ts'
import { type Outcome, simulate } from './simulation.ts'

const SEED = Number(process.env.CAIRN_SIMULATION_SEED ?? 1)
const HEIGHTS = 2_000
const ATTACKED_HEIGHTS = 1_000
const WIRE_HEIGHTS = 60
const LINKED_HEIGHTS = 250
const MIXED_HEIGHTS = 600
const MUTATED_HEIGHTS = 500
const MUTATED_PER_SIMULATION = 48
const HEIGHTS_PER_SIMULATION = 12
const crypto = await loadCrypto()

/** Simulations that once found a bug in the machine: seed and number. */
const FOUND = [
  [2, 115],
  [4, 164],
  [12, 156],
  [13, 51],
  [77, 260],
  [77, 291],
  [77, 1_355],
  [20_261_115, 3_916],
  [20_261_115, 4_111],
  [20_261_115, 6_614],
  [20_261_115, 6_831],
] as const

/** The same under composed attacks. */
const FOUND_ATTACKED = [
  [20_261_115, 2_315],
  [20_261_115, 5_791],
  [20_261_115, 8_887],
] as const

/** The same over few links. */
const FOUND_LINKED = [
  [1_008, 278],
  [20_261_126, 764],
] as const

async function runOne(index: number, plant?: Plant, isWireSimulated = false, seed = SEED): Promise<Outcome> {
  const random = new Random(seed, index)
  if (plant?.isAttacked) return runAttacked(index, random, plant)
  if (plant?.isLinked) return runLinked(index, random, plant)
  const [sizes, draw] = plant?.isRestored ? [ATTACK_SIZES, restoredScenarioOf] : [SIZES, scenarioOf]
  const scenario = draw(random, sizes[index % sizes.length]!, HEIGHTS_PER_SIMULATION)
  return simulate({ ...scenario, isWireSimulated }, random, crypto, plant)
}

async function runAttacked(index: number, random: Random, plant?: Plant): Promise<Outcome> {
  const size = ATTACK_SIZES[index % ATTACK_SIZES.length]!
  return simulate(attackScenarioOf(random, size, HEIGHTS_PER_SIMULATION), random, crypto, plant)
}

async function runLinked(index: number, random: Random, plant?: Plant): Promise<Outcome> {
  const size = LINKED_SIZES[index % LINKED_SIZES.length]!
  return simulate(linkedScenarioOf(random, size, HEIGHTS_PER_SIMULATION), random, crypto, plant)
}

async function runHeights(heights: number, isWireSimulated: boolean): Promise<number> {
  let [done, index] = [0, 0]
  for (; done < heights; index++) {
    const { violations, heights: decided } = await runOne(index, undefined, isWireSimulated)
    assert.deepEqual(violations, [], `simulation ${index} of seed ${SEED}`)
    done += decided
  }
  return index
}

test(`${HEIGHTS} heights under faults keep every invariant (CAIRN_SIMULATION_SEED=${SEED})`, async (context) => {
  context.diagnostic(`${await runHeights(HEIGHTS, false)} simulations`)
})

test(`${ATTACKED_HEIGHTS} heights under composed attacks keep every invariant, and continue after every healing`, async () => {
  for (let [done, index] = [0, 0]; done < ATTACKED_HEIGHTS; index++) {
    const { violations, heights } = await runAttacked(index, new Random(SEED, index))
    assert.deepEqual(violations, [], `simulation ${index} of seed ${SEED}, composing`)
    done += heights
  }
})

test(`${LINKED_HEIGHTS} heights over few and changing links, with liars, keep every invariant and are decided in time (CAIRN_SIMULATION_SEED=${SEED})`, async () => {
  for (let [done, index] = [0, 0]; done < LINKED_HEIGHTS; index++) {
    const { violations, heights } = await runLinked(index, new Random(SEED, index))
    assert.deepEqual(violations, [], `simulation ${index} of seed ${SEED}, linked`)
    done += heights
  }
})

test(`${MIXED_HEIGHTS} heights with validators that send blocks in all forms keep every invariant, attacked or not`, async () => {
  for (let [done, index] = [0, 0]; done < MIXED_HEIGHTS; index++) {
    const random = new Random(SEED, index)
    const [sizes, draw] = index % 2 === 0 ? [SIZES, scenarioOf] : [ATTACK_SIZES, attackScenarioOf]
    const drawn = draw(random, sizes[index % sizes.length]!, HEIGHTS_PER_SIMULATION)
    const { violations, heights } = await simulate({ ...drawn, isMixed: true }, random, crypto)
    assert.deepEqual(violations, [], `simulation ${index} of seed ${SEED}, mixed`)
    done += heights
  }
})

test(`${MUTATED_HEIGHTS} heights with a proposer that mutates its blocks keep every invariant, by real rules`, async () => {
  for (let [done, index] = [0, 0]; done < MUTATED_HEIGHTS; index++) {
    const random = new Random(SEED, index)
    const scenario = mutatedScenarioOf(random, MUTATED_PER_SIMULATION)
    const { violations, heights, faults } = await simulate(scenario, random, crypto)
    assert.deepEqual(violations, [], `simulation ${index} of seed ${SEED}, mutating`)
    assert.ok(faults > 0, 'blocks were mutated')
    done += heights
  }
})

test('networks that write both generations with real keys keep every invariant', async () => {
  await runHeights(WIRE_HEIGHTS, true)
})

test('simulations that once found a bug pass', async () => {
  for (const [seed, index] of FOUND) {
    const { violations } = await runOne(index, undefined, false, seed)
    assert.deepEqual(violations, [], `simulation ${index} of seed ${seed}`)
  }
  for (const [seed, index] of FOUND_ATTACKED) {
    const { violations } = await runAttacked(index, new Random(seed, index))
    assert.deepEqual(violations, [], `simulation ${index} of seed ${seed}, composing`)
  }
})

test('simulations over few links that once found a bug pass', async () => {
  for (const [seed, index] of FOUND_LINKED) {
    const { violations } = await runLinked(index, new Random(seed, index))
    assert.deepEqual(violations, [], `simulation ${index} of seed ${seed}, linked`)
  }
})

test('the same seed gives the same blocks', async () => {
  for (const index of [3, 4]) assert.deepEqual(await runOne(index), await runOne(index))
})

for (const [name, plant] of Object.entries(PLANTS)) {
  test(`the simulator catches ${name}: ${plant.mistake}`, async (context) => {
    const all = Array.from({ length: plant.seeds }, (_, index) => index)
    for (const index of [plant.shownBy ?? 0, ...all]) {
      const { violations } = await runOne(index, plant)
      if (violations.length === 0) continue
      context.diagnostic(`simulation ${index}: ${violations[0]}`)
      return
    }
    assert.fail(`not caught in ${plant.seeds} simulations`)
  })
}

/** Simulations of consensus as tests: half under faults, half under composed attacks. */
import { deepStrictEqual } from 'node:assert'
import { loadCrypto } from '#evm/crypto.ts'
import { ATTACK_SIZES, attackScenarioOf, SIZES, scenarioOf } from '../../simulation/scenario.ts'
import { simulate } from '../../simulation/simulation.ts'
import { Random } from '../../support/random.ts'
import type { CollectedTest } from './collected-tests.ts'

const SEED = 1
const HEIGHTS = 12

export async function simulationTests(count: number): Promise<CollectedTest[]> {
  if (count === 0) return []
  const crypto = await loadCrypto()
  return Array.from({ length: count }, (_, number): CollectedTest => {
    const [sizes, draw] = number % 2 === 0 ? [SIZES, scenarioOf] : [ATTACK_SIZES, attackScenarioOf]
    const index = Math.floor(number / 2)
    return {
      name: `simulation ${number}`,
      run: async () => {
        const random = new Random(SEED, index)
        const scenario = draw(random, sizes[index % sizes.length]!, HEIGHTS)
        deepStrictEqual((await simulate(scenario, random, crypto)).violations, [])
      },
    }
  })
}

import { Random } from '../../support/random.ts'
import type { Plant } from './plant.ts'

export type NamedPlant = readonly [name: string, plant: Plant]

/** Draws from all plants, whatever catches them: a plant that is never drawn is never checked in the gate. */
export function drawPlants(
  plants: readonly NamedPlant[],
  count: number,
  seed: number,
): readonly NamedPlant[] {
  const random = new Random(seed, 0)
  const rest = [...plants]
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const [drawn] = rest.splice(random.below(rest.length), 1)
    return drawn!
  })
}

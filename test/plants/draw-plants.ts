import { Random } from '../fuzz-engines/random.ts'
import type { Plant } from './plant.ts'

export type NamedPlant = readonly [name: string, plant: Plant]

/** As many of all plants, whatever catches them: one that is never drawn is never checked in the gate. */
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
